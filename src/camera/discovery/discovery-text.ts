/** Characters of a name, maker, model or location that a device gives itself. */
export const DEVICE_TEXT_LENGTH_MAX = 128;

/** One line without control characters and surrogate halves, cut. */
export function deviceText(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}\p{Cf}\ufffe\uffff]/gu, " ")
    .trim()
    .slice(0, DEVICE_TEXT_LENGTH_MAX);
}
