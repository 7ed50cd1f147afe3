/** As programs print numbers: with a sign, a point or a comma, and an exponent; bounded, because `Number` is not. */
const DECIMAL = /^\s*[-+]?\d{1,40}(?:[.,]\d{1,40})?(?:e[-+]?\d{1,3})?\s*$/i;

/** The number that a parameter names; NaN for any other text. */
export function readDecimal(text: string): number {
  return DECIMAL.test(text) ? Number(text.replace(",", ".")) : Number.NaN;
}
