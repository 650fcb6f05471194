import { encode } from "uqr";

/** A text as a QR code: one path of its dark modules, in a square with its quiet zone. */
export function qrPath(text: string): { readonly path: string; readonly size: number } {
  const { data, size } = encode(text, { ecc: "M", border: 4 });
  const bars: string[] = [];
  for (const [y, row] of data.entries()) {
    for (let x = 0; x < row.length; x++) {
      if (row[x] !== true) continue;
      const from = x;
      while (row[x + 1] === true) x++;
      bars.push(`M${from} ${y}h${x + 1 - from}v1H${from}z`);
    }
  }
  return { path: bars.join(""), size };
}
