// Sizes in bytes, as people read them.

/** Bytes as people read them: `4.1 MB`, `205 MB`, `1.2 GB`. */
export function sizeText(bytes: number): string {
  const unit = unitOf(bytes);
  return `${inUnit(bytes, unit)} ${unit.name}`;
}

interface ByteUnit {
  readonly name: string;
  readonly bytes: number;
}

const B: ByteUnit = { name: "bytes", bytes: 1 };
const KB: ByteUnit = { name: "kB", bytes: 1e3 };
const MB: ByteUnit = { name: "MB", bytes: 1e6 };
const GB: ByteUnit = { name: "GB", bytes: 1e9 };

/** Writes both numbers in the unit of the total, for easy comparison. */
export function amountText(done: number, total: number): string {
  if (total === 0) return done === 0 ? "" : sizeText(done);
  const unit = unitOf(total);
  return `${inUnit(Math.min(done, total), unit, total)} / ${inUnit(total, unit)} ${unit.name}`;
}

function unitOf(bytes: number): ByteUnit {
  return bytes < 1e3 ? B : bytes < 1e5 ? KB : bytes < 1e9 ? MB : GB;
}

/** @param like The amount that decides the number of digits. */
function inUnit(bytes: number, unit: ByteUnit, like = bytes): string {
  const digits = like / unit.bytes < 9.95 && unit.bytes > KB.bytes ? 1 : 0;
  return (bytes / unit.bytes).toFixed(digits);
}
