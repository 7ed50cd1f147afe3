import { errorText, type Log, US_PER_SECOND } from "../../base/index.js";
import type { RtspResponse } from "../message/rtsp-message.js";
import { parseSessionHeader, SESSION_TIMEOUT_S_DEFAULT } from "./session-headers.js";

/** A track of a session of its own is played by itself when nothing of it has come for this long. */
export const APART_SILENT_US = 2 * US_PER_SECOND;

/** A track that the camera has set up in another session than the first. */
export interface TrackApart {
  readonly session: string;
  readonly url: string;
  /** Packets received of it. */
  packets(): number;
}

export interface SessionNamesOptions {
  readonly log: Log;
  send(method: string, url: string, session: string): Promise<RtspResponse>;
}

/**
 * What the camera calls its session (RFC 2326, 12.37): in the answer to SETUP, or in another one. The first name counts, and the
 * shortest time limit. Some cameras name another session for each track: most play all tracks by the first, and what does not come so
 * is played by its own.
 */
export class SessionNames {
  readonly #options: SessionNamesOptions;
  #id: string | undefined;
  #timeoutS: number | undefined;
  readonly #apart: (TrackApart & { isPlayed: boolean })[] = [];
  /** Monotonic, once the camera plays. */
  #dueUs: number | undefined;

  constructor(options: SessionNamesOptions) {
    this.#options = options;
  }

  get id(): string | undefined {
    return this.#id;
  }

  get timeoutS(): number {
    return this.#timeoutS ?? SESSION_TIMEOUT_S_DEFAULT;
  }

  /** The headers of a request within the session. */
  get header(): Readonly<Record<string, string>> {
    return this.#id === undefined ? {} : { Session: this.#id };
  }

  /** Takes the Session header of an answer; answers the name in it where it is another one than the first. */
  hear(header: string | undefined): string | undefined {
    const heard = parseSessionHeader(header ?? "");
    if (heard === undefined) return undefined;
    this.#timeoutS = Math.min(this.#timeoutS ?? heard.timeoutS, heard.timeoutS);
    this.#id ??= heard.id;
    return heard.id === this.#id ? undefined : heard.id;
  }

  /** The session is opened anew, over another connection. */
  forget(): void {
    this.#id = undefined;
    this.#timeoutS = undefined;
    this.#apart.splice(0);
  }

  addApart(track: TrackApart): void {
    this.#apart.push({ ...track, isPlayed: false });
  }

  /** The camera plays the first session. */
  begin(nowUs: number): void {
    if (this.#apart.length > 0) this.#dueUs = nowUs + APART_SILENT_US;
  }

  onTick(nowUs: number): void {
    if (this.#dueUs === undefined || nowUs < this.#dueUs) return;
    this.#dueUs = undefined;
    for (const track of this.#apart) {
      if (track.packets() > 0) continue;
      track.isPlayed = true;
      this.#send("PLAY", track);
    }
  }

  /** The first session is renewed by this request: so are the others that play. */
  renew(method: string): void {
    for (const track of this.#apart) if (track.isPlayed) this.#send(method, track);
  }

  /** The first session ends in order. */
  end(): void {
    for (const track of this.#apart) this.#send("TEARDOWN", track);
    this.#apart.length = 0;
  }

  #send(method: string, { url, session }: TrackApart): void {
    const { log, send } = this.#options;
    send(method, url, session).then(
      ({ status }) => log.debug({ method, status }, "request for a session of one track"),
      // The other tracks do not depend on it, and a track that does not come is named by the watch over losses.
      (error: unknown) =>
        log.debug({ method, error: errorText(error) }, "request for a session of one track"),
    );
  }
}
