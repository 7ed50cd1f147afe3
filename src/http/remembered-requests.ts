import type { Clock } from "../base/index.js";
import { type RawRequest, RequestContent } from "./request.js";

/** Requests remembered for sure, the newest ones; at most twice as many are held. */
export const REMEMBERED_REQUESTS = 1024;
/** What is not asked again within it is forgotten with the first request after twice that time. */
export const REMEMBERED_MS = 30_000;
/** Longer requests are not remembered: with what was read of them, one costs some 10 KiB. */
const TEXT_LENGTH_MAX = 2048;

/**
 * What was read of requests that come again and again, byte for byte, as those of a wall of thumbnails do. Nothing is
 * decided here: the caller's identity and rights are checked each time.
 */
export class RememberedRequests {
  readonly #clock: Clock;
  #young = new Map<string, RequestContent>();
  #old: ReadonlyMap<string, RequestContent> = new Map();
  #youngSinceUs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#youngSinceUs = clock.monotonicUs();
  }

  /** What was read of an equal request; undefined when none is remembered. */
  get(raw: RawRequest): RequestContent | undefined {
    const text = requestText(raw);
    return text === undefined ? undefined : this.#find(text);
  }

  /** Reads a request that was let in, or recalls what was read. Throws as `RequestContent`. */
  read(raw: RawRequest): RequestContent {
    const text = requestText(raw);
    const known = text === undefined ? undefined : this.#find(text);
    if (known !== undefined) return known;
    const content = new RequestContent(raw);
    if (text !== undefined) this.#keep(text, content);
    return content;
  }

  #find(text: string): RequestContent | undefined {
    const nowUs = this.#clock.monotonicUs();
    if (nowUs - this.#youngSinceUs >= REMEMBERED_MS * 1000) this.#age(nowUs);
    const known = this.#young.get(text);
    if (known !== undefined) return known;
    const old = this.#old.get(text);
    if (old !== undefined) this.#keep(text, old);
    return old;
  }

  #keep(text: string, content: RequestContent): void {
    if (this.#young.size >= REMEMBERED_REQUESTS) this.#age(this.#clock.monotonicUs());
    this.#young.set(text, content);
  }

  #age(nowUs: number): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngSinceUs = nowUs;
  }
}

/** All that a request without a body is, no two alike with one text; undefined for one that is not remembered. */
function requestText({ method, url, query, headers, address }: RawRequest): string | undefined {
  if (method !== "get") return undefined;
  let text = `${address} ${url}?${query}`;
  // With lengths: the library lets a lone line feed through, so that no sign of its own ends a value.
  for (const [name, value] of headers) text += `\n${name}:${value.length}:${value}`;
  return text.length <= TEXT_LENGTH_MAX ? text : undefined;
}
