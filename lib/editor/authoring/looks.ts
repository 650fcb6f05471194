import { pixelSize } from "../assets/read-image-size.ts";
import { readWav } from "../assets/wav.ts";

/** Magic bytes of file formats: any of these, at an offset. */
const STARTS: Readonly<Record<string, readonly (readonly [number, string])[]>> = {
  ".hdr": [[0, "#?RADIANCE"], [0, "#?RGBE"]],
  ".ttf": [[0, "\u0000\u0001\u0000\u0000"], [0, "true"], [0, "ttcf"]],
  ".otf": [[0, "OTTO"], [0, "\u0000\u0001\u0000\u0000"]],
  ".woff2": [[0, "wOF2"]],
  ".mp3": [[0, "ID3"], [0, "\u00ff\u00fb"], [0, "\u00ff\u00f3"], [0, "\u00ff\u00f2"]],
  ".ogg": [[0, "OggS"]],
  ".m4a": [[4, "ftyp"]],
};

/** Returns why bytes do not match their file name's ending; `null` if they may. */
export function looksLike(extension: string, bytes: Uint8Array): string | null {
  const kind = extension.slice(1).toUpperCase();
  switch (extension) {
    case ".png":
    case ".jpg":
    case ".jpeg":
    case ".webp":
    case ".ktx2":
      return pixelSize(bytes) === null ? `it has no ${kind} header with a size` : null;
    case ".wav":
      return readWav(bytes) === null ? "it has no WAV header with samples" : null;
    default: {
      const starts = STARTS[extension] ?? [];
      const fits = starts.some(([offset, start]) =>
        [...start].every((letter, index) => bytes[offset + index] === letter.charCodeAt(0))
      );
      return fits || starts.length === 0 ? null : `it does not begin like a ${kind} file`;
    }
  }
}
