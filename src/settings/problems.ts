const SHOWN_LENGTH_MAX = 80;

/** The known word nearest by its first letters, else all of them. */
export function suggestion(word: string, known: readonly string[]): string {
  const fold = (text: string) => text.toLowerCase().replace(/[^a-z]/g, "");
  const folded = fold(word);
  const near = known.filter((name) => fold(name).startsWith(folded.slice(0, -2)) && folded.length > 3);
  return near.length > 0 ? `did you mean ${near.join(" or ")}?` : `settings are: ${known.join(", ")}`;
}

/** A value as a message has it: as JSON, cut. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
}
