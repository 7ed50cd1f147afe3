import type { RtspResponse } from "../message/rtsp-message.js";

/** Statuses of a server that does not know the URL it was asked for, or not for this request. */
const NOT_KNOWN: ReadonlySet<number> = new Set([400, 403, 404, 410, 451, 454, 455, 459, 460, 500]);

/** Asks for what a control attribute may mean (ControlReadings), one reading after the other, and remembers which one was known. */
export class ControlTries {
  #known = 0;

  /** The URL by the reading that was known last. */
  of(urls: readonly string[]): string {
    return urls[this.#known] ?? urls[0] ?? "";
  }

  /**
   * Resolves with the first answer of a server that knows the URL, otherwise with that to the likeliest one. `further`: URLs
   * that are asked for last, whatever the reading.
   */
  async ask(
    urls: readonly string[],
    request: (url: string) => Promise<RtspResponse>,
    further: readonly string[] = [],
  ): Promise<RtspResponse> {
    const inOrder = [this.of(urls), ...urls, ...further];
    let first: RtspResponse | undefined;
    for (const [index, url] of inOrder.entries()) {
      if (inOrder.indexOf(url) < index) continue;
      const response = await request(url);
      if (!NOT_KNOWN.has(response.status)) {
        if (urls.includes(url) && url !== this.of(urls)) this.#known = urls.indexOf(url);
        return response;
      }
      first ??= response;
    }
    if (first === undefined) throw new RangeError("a control attribute without a reading");
    return first;
  }
}
