import { createHash } from "node:crypto";

/** The replacement for a secret. */
export const CENSORED = "[secret]";
/** Shorter words are not searched: they occur in every text, and removing them would leave nothing readable. */
export const SECRET_LENGTH_MIN = 4;
/** Most secrets looked for, spellings included: 256 cameras and 1000 users have fewer. */
const SPELLINGS_MAX = 20_000;
/** Characters looked through at a time: some milliseconds, so that recording continues beside it. */
const SLICE_LENGTH = 500_000;
/** Places of the table that says where a word may begin; a power of two. */
const TABLE_SIZE = 65_536;

/** A secret and who logs in with it. */
export interface Secret {
  readonly value: string;
  /** The login it goes with, for the header of HTTP Basic. */
  readonly login?: string;
}

/**
 * Takes secrets out of texts, in every spelling in which they may stand there. It comes after what leaves them out by
 * construction: this catches what was missed there. A table of the words' first four characters decides for almost every
 * place of a text that none begins there, so that thousands of words cost hardly more than one.
 */
export class SecretScrubber {
  /**
   * Words by what their first four characters come to, the longest first: so that a word that begins with another is replaced
   * whole.
   */
  readonly #words = new Map<number, string[]>();
  readonly #begins = new Uint8Array(TABLE_SIZE);

  constructor(secrets: Iterable<Secret>) {
    const words = new Set<string>();
    for (const secret of secrets) {
      if (secret.value.length < SECRET_LENGTH_MIN) continue;
      for (const spelling of spellingsOf(secret)) words.add(spelling);
      if (words.size > SPELLINGS_MAX) break;
    }
    for (const word of [...words].toSorted((one, other) => other.length - one.length)) {
      const place = placeOf(word, 0);
      this.#begins[place] = 1;
      this.#words.set(place, [...(this.#words.get(place) ?? []), word]);
    }
  }

  /** The text with each secret censored. Gives way to other work between slices. */
  async scrub(text: string): Promise<string> {
    if (this.#words.size === 0) return text;
    const kept: string[] = [];
    let from = 0;
    let at = 0;
    const last = text.length - SECRET_LENGTH_MIN;
    while (at <= last) {
      const sliceEnd = Math.min(last, at + SLICE_LENGTH);
      for (; at <= sliceEnd; at++) {
        const place = placeOf(text, at);
        const word = this.#begins[place] === 0 ? undefined : this.#wordAt(text, at, place);
        if (word === undefined) continue;
        kept.push(text.slice(from, at), CENSORED);
        from = at + word.length;
        at = from - 1;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    return kept.join("") + text.slice(from);
  }

  #wordAt(text: string, at: number, place: number): string | undefined {
    return this.#words.get(place)?.find((word) => text.startsWith(word, at));
  }
}

/** The place in the table of the four characters from `at` on. */
function placeOf(text: string, at: number): number {
  const high = text.charCodeAt(at) * 31 + text.charCodeAt(at + 1);
  const low = text.charCodeAt(at + 2) * 31 + text.charCodeAt(at + 3);
  return (high * 1021 + low) & (TABLE_SIZE - 1);
}

function spellingsOf({ value, login }: Secret): string[] {
  const md5 = createHash("md5").update(value).digest("hex");
  const pairs = login === undefined ? [] : [`${login}:${value}`, `${login}:${md5}`, `\0${login}\0${value}`];
  return [
    value,
    encodeURIComponent(value),
    encodeURI(value),
    JSON.stringify(value).slice(1, -1),
    value.toUpperCase() === value || !/^[0-9a-f]{32}$/i.test(value) ? value : value.toUpperCase(),
    md5,
    md5.toUpperCase(),
    ...[value, ...pairs].map((text) => Buffer.from(text).toString("base64")),
  ];
}
