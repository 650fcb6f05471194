import type { Viewport } from "../game/types/mod.ts";

// Pictures that a page makes: canvases with two dimensions, and PNG files of them.

/** An empty picture. */
export function canvasOf({ width, height }: Viewport): {
  readonly canvas: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
} {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width));
  canvas.height = Math.max(1, Math.round(height));
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) throw new TypeError(`a canvas of ${width} × ${height} could not be had`);
  return { canvas, context };
}

/** Returns a picture scaled down to a longest side; the same one if it is small enough. */
export function scaledTo(picture: HTMLCanvasElement, longest: number): HTMLCanvasElement {
  const scale = longest / Math.max(picture.width, picture.height);
  if (scale >= 1) return picture;
  const { canvas, context } = canvasOf({
    width: picture.width * scale,
    height: picture.height * scale,
  });
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** Returns the PNG file of a picture, and of a smaller one if requested. */
export async function filesOf(picture: HTMLCanvasElement, inline?: number): Promise<Blob[]> {
  const png = await pngOf(picture);
  return inline === undefined ? [png] : [png, await pngOf(scaledTo(picture, inline))];
}

/** The PNG file of a picture. */
function pngOf(picture: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) =>
    picture.toBlob((blob) => {
      if (blob === null) reject(new TypeError("the picture could not be written as PNG"));
      else resolve(blob);
    }, "image/png")
  );
}

/** The picture of a capture. @param url Of its file. */
export async function pictureAt(url: string): Promise<HTMLCanvasElement> {
  const response = await fetch(url);
  if (!response.ok) throw new TypeError(`found status ${response.status} for ${url}, expected 200`);
  const bitmap = await createImageBitmap(await response.blob());
  const { canvas, context } = canvasOf(bitmap);
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  return canvas;
}
