import { qrPath } from "../model/qr.ts";

/** A text as a QR code: dark on white in either theme, as cameras expect it. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { path, size } = qrPath(text);
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={path} fill="currentColor" shape-rendering="crispEdges" />
    </svg>
  );
}
