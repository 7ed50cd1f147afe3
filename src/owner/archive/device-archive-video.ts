import { type Clock, errorText, type Log } from "../../base/index.js";
import type { CardPlayback } from "../../camera/index.js";
import type { StreamResponse } from "../../http/index.js";
import type { Frame } from "../../live/index.js";
import { formatPart, Waker } from "../../player/index.js";

export interface DeviceArchiveVideoOptions {
  /** By our clock. */
  readonly span: { readonly fromUs: number; readonly toUs: number };
  /** Sent before the first picture. */
  readonly firstUnit: Uint8Array;
  /** Opens the answer; undefined if the client has disconnected. */
  readonly open: () => StreamResponse | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** One playback from a camera's card to one client: pictures with our times, as fast as both allow. */
export class DeviceArchiveVideo {
  readonly #options: DeviceArchiveVideoOptions;
  readonly #waker: Waker;
  #playback: CardPlayback | undefined;
  #response: StreamResponse | undefined;
  #isStopped = false;

  constructor(options: DeviceArchiveVideoOptions) {
    this.#options = options;
    this.#waker = new Waker(options.clock);
  }

  /** Resolves when the answer has begun, and goes on by itself, or when there is no picture. Rejects with RtspFailure. */
  async start(playback: CardPlayback, offsetUs: number): Promise<void> {
    this.#playback = playback;
    if (this.#isStopped) return playback.close();
    let first: readonly Frame[];
    try {
      first = await playback.next();
    } catch (error) {
      this.stop();
      throw error;
    }
    const response = first.length === 0 || this.#isStopped ? undefined : this.#options.open();
    if (response === undefined) {
      for (const frame of first) frame.release();
      this.stop();
      return;
    }
    this.#response = response;
    response.onDrain = () => this.#waker.wake();
    response.onClose(() => this.stop());
    this.#play(response, first, offsetUs)
      .catch((error: unknown) =>
        this.#options.log.info({ reason: errorText(error) }, "a playback from a camera's card ended early"),
      )
      .finally(() => this.stop());
  }

  /** Ends playback and answer. May be called repeatedly. */
  stop(): void {
    this.#playback?.close();
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#response?.end();
    this.#waker.stop();
  }

  async #play(response: StreamResponse, first: readonly Frame[], offsetUs: number): Promise<void> {
    if (!response.send([this.#options.firstUnit])) await this.#waker.drained(response);
    let frames = first;
    while (frames.length > 0) {
      for (const frame of frames) {
        try {
          await this.#send(response, frame, offsetUs);
        } finally {
          frame.release();
        }
      }
      frames = this.#isStopped ? [] : ((await this.#playback?.next()) ?? []);
    }
  }

  async #send(response: StreamResponse, frame: Frame, offsetUs: number): Promise<void> {
    if (this.#isStopped || frame.isAudio || frame.undecodable) return;
    const { span } = this.#options;
    const { format, key, presentationOffsetUs } = frame;
    const decodeTimeUs = frame.decodeTimeUs - offsetUs;
    if (decodeTimeUs >= span.toUs) {
      this.stop();
      return;
    }
    // Held by the response until it is sent, and the slab may be reused: a picture is copied.
    const part = formatPart({ codec: format.codec, key, decodeTimeUs, presentationOffsetUs }, [
      frame.copyBytes(),
    ]);
    if (part !== undefined && !response.send(part)) await this.#waker.drained(response);
  }
}
