import type { RtspResponse } from "../message/rtsp-message.js";
import { RtspFailure } from "./rtsp-failure.js";

/** Statuses of a server that does not know the URL it was asked for, or not for this request. */
const NOT_KNOWN: ReadonlySet<number> = new Set([400, 403, 404, 410, 451, 454, 455, 459, 460, 500]);
/** What some servers do instead of answering that they do not know a URL. */
const WORDLESS: ReadonlySet<RtspFailure["kind"]> = new Set(["closed", "no-answer"]);

type Request = (url: string) => Promise<RtspResponse>;

/**
 * Asks for what a control attribute may mean (ControlReadings), one reading after the other, and remembers which one was known.
 * A session is opened by `open`, because a server may hang up at a URL that it does not know.
 */
export class ControlTries {
  #known = 0;
  /** Requests, by method and URL, that were answered by hanging up or not at all. */
  readonly #wordless = new Set<string>();
  #goesOn = false;

  /** The newest request failed, and `open` is going to open the session with another reading. */
  get goesOn(): boolean {
    return this.#goesOn;
  }

  /** The URL by the reading that was known last. */
  of(urls: readonly string[]): string {
    return urls[this.#known] ?? urls[0] ?? "";
  }

  /**
   * Opens a session by `once`, which asks through this object; again from the start, after `undo`, where the server hung up at one
   * reading and another is left. Rejects as `once` did last.
   */
  async open<Opened>(once: () => Promise<Opened>, undo: () => void): Promise<Opened> {
    for (;;) {
      this.#goesOn = false;
      try {
        return await once();
      } catch (error) {
        if (!this.#goesOn) throw error;
        undo();
      }
    }
  }

  /**
   * Resolves with the first answer of a server that knows the URL, otherwise with that to the likeliest one. `further`: URLs
   * that are asked for last, whatever the reading.
   */
  async ask(
    method: string,
    urls: readonly string[],
    request: Request,
    further: readonly string[] = [],
  ): Promise<RtspResponse> {
    let first: RtspResponse | undefined;
    for (const url of this.#left(method, urls, further)) {
      const response = await this.#answer(method, url, request, this.#left(method, urls, further).length > 1);
      if (!NOT_KNOWN.has(response.status)) {
        if (urls.includes(url) && url !== this.of(urls)) this.#known = urls.indexOf(url);
        return response;
      }
      first ??= response;
    }
    if (first === undefined) throw new RangeError("a control attribute without a reading");
    return first;
  }

  /** Asks by the likeliest reading alone. */
  askOnce(method: string, urls: readonly string[], request: Request): Promise<RtspResponse> {
    const left = this.#left(method, urls, []);
    return this.#answer(method, left[0] ?? this.of(urls), request, left.length > 1);
  }

  /** What may still be asked for, in the order of likelihood; when nothing is left, the likeliest. */
  #left(method: string, urls: readonly string[], further: readonly string[]): readonly string[] {
    const all = [...new Set([this.of(urls), ...urls, ...further])];
    const left = all.filter((url) => !this.#wordless.has(`${method} ${url}`));
    return left.length > 0 ? left : all.slice(0, 1);
  }

  async #answer(method: string, url: string, request: Request, hasMore: boolean): Promise<RtspResponse> {
    try {
      return await request(url);
    } catch (error) {
      if (error instanceof RtspFailure && WORDLESS.has(error.kind)) {
        this.#wordless.add(`${method} ${url}`);
        this.#goesOn = hasMore;
      }
      throw error;
    }
  }
}
