/** The characters that give JSON text its shape. */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const OPENS_LIST = 0x5b;
export const CLOSES_LIST = 0x5d;
export const OPENS_OBJECT = 0x7b;
export const CLOSES_OBJECT = 0x7d;
const BACKSLASH = 0x5c;

/** The place of the quote that ends the string that begins at `at`; the end of the text when there is none. */
export function endOfString(text: string, at: number): number {
  let end = at + 1;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code === QUOTE) return end;
    if (code === BACKSLASH) end += 1;
  }
  return text.length;
}
