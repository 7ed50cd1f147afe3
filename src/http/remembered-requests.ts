import type { Clock } from "../base/index.js";
import { type RawRequest, RequestContent } from "./request.js";

/** Number of recent requests that are always remembered; at most twice as many are held. */
export const REMEMBERED_REQUESTS = 1024;
/** A request that is not repeated within this time is dropped at the latest with the first request after twice that time. */
export const REMEMBERED_MS = 30_000;
/** Longer requests are not remembered: together with the parsed content, one takes about 10 KiB. */
const TEXT_LENGTH_MAX = 2048;

/**
 * Caches the parsed content of requests that repeat byte for byte, as those of a wall of thumbnails do. Nothing is authorized
 * here: the caller's identity and rights are checked each time.
 */
export class RememberedRequests {
  readonly #clock: Clock;
  readonly #comesOnce: (url: string) => boolean;
  #young = new Map<string, RequestContent>();
  #old: ReadonlyMap<string, RequestContent> = new Map();
  #youngSinceUs: number;

  /** `comesOnce`: whether requests of a path, as sent, hardly ever repeat; they are not remembered. */
  constructor(clock: Clock, comesOnce: (url: string) => boolean = () => false) {
    this.#clock = clock;
    this.#comesOnce = comesOnce;
    this.#youngSinceUs = clock.monotonicUs();
  }

  /** The parsed content of an equal request; undefined if not cached. */
  get(raw: RawRequest): RequestContent | undefined {
    const text = this.#textOf(raw);
    return text === undefined ? undefined : this.#find(text);
  }

  /** Parses an accepted request, or returns the cached content. Throws like `RequestContent`. */
  read(raw: RawRequest): RequestContent {
    const text = this.#textOf(raw);
    const known = text === undefined ? undefined : this.#find(text);
    if (known !== undefined) return known;
    const content = new RequestContent(raw);
    if (text !== undefined) this.#keep(text, content);
    return content;
  }

  /** Identifies the request; undefined if it is not to be remembered. */
  #textOf(raw: RawRequest): string | undefined {
    return this.#comesOnce(raw.url) ? undefined : requestText(raw);
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

/** A text that identifies a request without a body; undefined if the request is not to be cached. */
function requestText(raw: RawRequest): string | undefined {
  const { method, url, query, headers, address, secure, proxied } = raw;
  if (method !== "get") return undefined;
  const way = `${secure === true ? "https" : "http"}${proxied === true ? " proxied" : ""}`;
  let text = `${address} ${way} ${url}?${query}`;
  // With lengths, because the library accepts a lone line feed in a value, so no character can serve as a separator.
  for (const [name, value] of headers) text += `\n${name}:${value.length}:${value}`;
  return text.length <= TEXT_LENGTH_MAX ? text : undefined;
}
