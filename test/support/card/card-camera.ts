import type { CardContents, CardPlayback, CardPlayRequest, Cards } from "../../../src/camera/index.js";
import type { VideoFormat } from "../../../src/live/codec/codec.js";
import type { Frame } from "../../../src/live/index.js";
import { syntheticFrame, TEST_VIDEO_FORMAT } from "../media/synthetic-frames.js";

export const FRAME_US = 40_000;
export const GOP_FRAMES = 25;
const CHUNK_FRAMES = 10;
const US_PER_SECOND = 1_000_000;

export interface CardCameraOptions {
  /** Our time of picture 0. */
  readonly startUs: number;
  /** Pictures that the card has: those from 0 to this. */
  readonly pictures: number;
  /** The camera's clock minus ours. */
  readonly offsetUs?: number;
  /** Its own error, of the time of a picture on the card. */
  readonly jitterUs?: (index: number) => number;
  readonly format?: VideoFormat;
}

/** A camera with a card, scripted: each picture is known by its number, and each playback can be watched, held and cut. */
export class CardCamera implements Cards {
  readonly #options: Required<CardCameraOptions>;
  /** Called before the pictures from `index` on are handed over. */
  onPlay: (index: number) => void | Promise<void> = () => undefined;
  /** What the pictures of a playback are replaced by; given are those from `from` to before `to`. */
  frames: (from: number, to: number) => Frame[] = (from, to) => this.framesBetween(from, to);
  isSupportedNow: boolean | undefined = true;
  failure: Error | undefined;
  readonly requests: CardPlayRequest[] = [];
  /** Playbacks that are open. */
  playing = 0;

  constructor(options: CardCameraOptions) {
    this.#options = { offsetUs: 0, jitterUs: () => 0, format: TEST_VIDEO_FORMAT, ...options };
  }

  /** Our time of a picture. */
  timeUs(index: number): number {
    return this.#options.startUs + index * FRAME_US;
  }

  bytes(index: number): Buffer {
    return Buffer.from(`picture ${index}`);
  }

  /** With the camera's times. */
  framesBetween(from: number, to: number): Frame[] {
    const { offsetUs, jitterUs, format } = this.#options;
    return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at).map((index) =>
      syntheticFrame({
        decodeTimeUs: this.timeUs(index) + offsetUs + jitterUs(index),
        key: index % GOP_FRAMES === 0,
        bytes: this.bytes(index),
        format,
      }),
    );
  }

  /** Of what it sends, live and from the card. */
  get format(): VideoFormat {
    return this.#options.format;
  }

  isSupported(): boolean | undefined {
    return this.isSupportedNow;
  }

  contents(): Promise<CardContents> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    const { pictures, offsetUs } = this.#options;
    const recording = {
      ...{ token: "card", fromUs: this.timeUs(0), toUs: this.timeUs(pictures), source: [] },
      ...{ hasVideo: true, hasSound: false, sections: undefined },
    };
    // Told in whole seconds.
    const reportedUs = Math.round(offsetUs / US_PER_SECOND) * US_PER_SECOND;
    return Promise.resolve({ offsetUs: reportedUs, recordings: [recording] });
  }

  play(request: CardPlayRequest): Promise<CardPlayback> {
    this.requests.push(request);
    const { startUs, pictures } = this.#options;
    const indexOf = (timeUs: number): number => Math.ceil((timeUs - startUs) / FRAME_US);
    const first = Math.max(0, indexOf(request.fromUs));
    let at = first - (first % GOP_FRAMES);
    const end = Math.min(pictures, indexOf(request.toUs));
    let isClosed = false;
    this.playing += 1;
    const close = (): void => {
      if (!isClosed) this.playing -= 1;
      isClosed = true;
    };
    request.signal.addEventListener("abort", close, { once: true });
    const next = async (): Promise<readonly Frame[]> => {
      await this.onPlay(at);
      if (isClosed || request.signal.aborted || at >= end) return [];
      const to = Math.min(end, at + CHUNK_FRAMES);
      const frames = this.frames(at, to);
      at = to;
      return frames;
    };
    return Promise.resolve({ next, receivedBytes: 0, close });
  }
}
