/** A time in the page's words, where it is known. */
export type Since = string | undefined;

/** A sentence that says since when, where that is known. */
export function since(text: string, word: string): (time: Since) => string {
  return (time) => (time === undefined ? text : `${text} ${word} ${time}`);
}

/** A sentence that is the same whether it is known since when or not. */
export function always(text: string): (time: Since) => string {
  return () => text;
}
