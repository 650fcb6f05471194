import type { Page } from "playwright-core";

/** The colour that is seen at a point of a page: red, green, blue, each from 0 to 255. */
export async function colorAt(page: Page, x: number, y: number): Promise<readonly number[]> {
  const clip = { x: Math.round(x), y: Math.round(y), width: 1, height: 1 };
  const png = await page.screenshot({ clip });
  return await page.evaluate(`(async () => {
    const bytes = Uint8Array.from(atob("${png.toString("base64")}"), (one) => one.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  })()`);
}
