import type { Image } from "./images.ts";

/** Pixels of all tinted images together: 32 MB. */
const MAX_PIXELS = 8 * 1024 * 1024;

/** Images multiplied by a colour, within a bound; the least recently used are dropped. */
export class Tints {
  readonly #canvases = new Map<string, HTMLCanvasElement>();
  readonly #numbers = new WeakMap<ImageBitmap, number>();
  #nextNumber = 1;
  #pixels = 0;

  /** Returns the image to draw. @param tint `#rrggbb`. */
  of(image: Image, tint: string): Image | TintedImage {
    if (tint === "#ffffff") return image;
    const { bitmap, part, pixelArt } = image;
    const { x, y, w, h } = part;
    const number = this.#numbers.get(bitmap) ?? this.#nextNumber++;
    this.#numbers.set(bitmap, number);
    const key = `${number} ${tint} ${x} ${y} ${w} ${h}`;
    const canvas = this.#canvases.get(key) ?? tinted(image, tint);
    if (this.#canvases.delete(key)) this.#pixels -= canvas.width * canvas.height;
    this.#canvases.set(key, canvas);
    this.#pixels += canvas.width * canvas.height;
    for (const [oldest, spare] of this.#canvases) {
      if (this.#pixels <= MAX_PIXELS || oldest === key) break;
      this.#canvases.delete(oldest);
      this.#pixels -= spare.width * spare.height;
    }
    return { bitmap: canvas, part: { x: 0, y: 0, w: canvas.width, h: canvas.height }, pixelArt };
  }

  dispose(): void {
    this.#canvases.clear();
    this.#pixels = 0;
  }
}

/** An image in other colours. */
export interface TintedImage extends Omit<Image, "bitmap"> {
  readonly bitmap: HTMLCanvasElement;
}

function tinted({ bitmap, part: { x, y, w, h } }: Image, tint: string): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(w);
  canvas.height = Math.ceil(h);
  const context = canvas.getContext("2d");
  if (context === null) return canvas;
  const draw = () => context.drawImage(bitmap, x, y, w, h, 0, 0, canvas.width, canvas.height);
  draw();
  context.globalCompositeOperation = "multiply";
  context.fillStyle = tint;
  context.fillRect(0, 0, canvas.width, canvas.height);
  // The multiplication has also filled transparent pixels.
  context.globalCompositeOperation = "destination-in";
  draw();
  return canvas;
}
