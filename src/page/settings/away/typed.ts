/** What is no number goes as it is: the recorder says what is wrong with it. Nothing is null: no limit, or as it was. */
export function numberOf(typed: string): number | string | null {
  const text = typed.trim().replace(",", ".");
  if (text === "") return null;
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : typed;
}
