/** Formats a number with as few digits as identify it. */
export function shownNumber(value: number): string {
  return String(Number(value.toPrecision(7)));
}

const NUMBER = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?`;
const SUM = new RegExp(`^${NUMBER}(?:[-+*/]${NUMBER})*$`, "i");
const TERM = new RegExp(`([-+*/]?)(${NUMBER})`, "gi");

/** Parses a number, or a small formula such as `2*3+1`; `null` for any other text. */
export function numberFrom(text: string): number | null {
  const sum = text.replaceAll(",", ".").replace(/\s+/g, "");
  if (!SUM.test(sum)) return null;
  let [total, product] = [0, NaN];
  for (const [, operator, term] of `+${sum}`.matchAll(TERM)) {
    const value = Number(term);
    if (operator === "*") product *= value;
    else if (operator === "/") product /= value;
    else {
      total += Number.isNaN(product) ? 0 : product;
      product = operator === "-" ? -value : value;
    }
  }
  total += product;
  return Number.isFinite(total) ? total : null;
}
