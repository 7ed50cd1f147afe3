/** Tokens that wait for the authority at once: one a name, and one of a trial. */
const OPEN_MAX = 64;

/** What the recorder answers an authority over plain HTTP (http-01: RFC 8555, 8.3), while it is being asked for. */
export class OpenChallenges {
  readonly #texts = new Map<string, string>();

  /** Answers `text` for the token, in whatever case as paths are, until the returned function is called. */
  open(token: string, text: string): () => void {
    if (this.#texts.size >= OPEN_MAX) throw new RangeError("too many open challenges");
    const key = token.toLowerCase();
    this.#texts.set(key, text);
    return () => void this.#texts.delete(key);
  }

  answer(token: string): string | undefined {
    return this.#texts.get(token.toLowerCase());
  }
}
