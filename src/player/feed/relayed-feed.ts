import type { ByteBudget } from "../../base/index.js";
import { videoTrackAlone } from "../mp4/video-track-alone.js";
import {
  FEED_HEADER_BYTES,
  FEED_NUMBER_AT,
  FeedFlag,
  FeedKind,
  type FeedMessage,
  readFeedHeader,
} from "./feed-message.js";
import type { FeedInit } from "./feed-period.js";
import type { FeedStart, FeedViewer } from "./live-feed.js";
import { NewestGop } from "./newest-gop.js";

/** What another recorder says of the stream whose init segment follows. */
export interface RelayedStream {
  readonly mime: string;
  readonly width: number;
  readonly height: number;
}

export interface RelayedFeedOptions {
  /** The number that viewers know it by. */
  readonly feed: number;
  /** Shared by all feeds. */
  readonly budget: ByteBudget;
}

interface Inits {
  /** As it came. */
  readonly whole: FeedInit;
  readonly silent: FeedInit;
  /** The codec of its sound; undefined: there is none. */
  readonly sound: string | undefined;
}

const CODECS = /^video\/mp4; codecs="([\w.]+)(?:,([\w.]+))?"$/;

/**
 * A live stream that another recorder has made fragments of: it comes once, whoever watches, and each viewer begins with the newest
 * key frame. Viewers without sound get none, though it comes for another one.
 */
export class RelayedFeed {
  readonly #options: RelayedFeedOptions;
  readonly #viewers = new Set<FeedViewer>();
  #stream: RelayedStream | undefined;
  #inits: Inits | undefined;
  readonly #gop: NewestGop;
  #sequence = 0;
  #lastPictureUs: number | undefined;

  constructor(options: RelayedFeedOptions) {
    this.#options = options;
    this.#gop = new NewestGop(options.budget);
  }

  /** The number that viewers know it by. */
  get number(): number {
    return this.#options.feed;
  }

  get gop(): readonly FeedMessage[] {
    return this.#gop.messages;
  }

  /** When the newest picture was taken, Unix microseconds; undefined before the first. */
  get lastPictureUs(): number | undefined {
    return this.#lastPictureUs;
  }

  join(viewer: FeedViewer): void {
    this.#viewers.add(viewer);
    this.replay(viewer);
  }

  leave(viewer: FeedViewer): void {
    this.#viewers.delete(viewer);
  }

  /** Sends a viewer the start and the newest group of pictures again. */
  replay(viewer: FeedViewer): void {
    const start = this.#startOf(viewer);
    if (start === undefined) return;
    viewer.onStart(start);
    for (const message of this.#gop.messages) {
      if (!this.#viewers.has(viewer)) return;
      viewer.onMessage(message);
    }
  }

  /** What its next init segment is of. */
  announce(stream: RelayedStream): void {
    this.#stream = stream;
  }

  /** A binary message of the live socket. Throws RangeError where it is none. */
  take(received: Uint8Array): void {
    // Its memory is that of much else that came with it.
    const bytes = Buffer.from(received);
    const { kind, flags, sequence, timeUs } = readFeedHeader(bytes);
    bytes.writeUInt32BE(this.#options.feed, FEED_NUMBER_AT);
    if (kind === FeedKind.init) this.#start(bytes);
    else if (this.#inits !== undefined) this.#takeFragment(bytes, { flags, sequence, timeUs });
  }

  /** What comes next follows a gap; who joins meanwhile gets no old pictures. */
  interrupt(): void {
    this.#gop.drop();
  }

  /** Nothing follows. */
  end(): void {
    this.#viewers.clear();
    this.#gop.drop();
  }

  #takeFragment(
    bytes: Buffer,
    {
      flags,
      sequence,
      timeUs,
    }: { readonly flags: number; readonly sequence: number; readonly timeUs: number },
  ): void {
    const sound = (flags & FeedFlag.sound) !== 0;
    const key = !sound && (flags & FeedFlag.key) !== 0;
    if (!sound) {
      // The newest pictures come again where a subscription was added, or sound.
      if (sequence <= this.#sequence) return;
      this.#sequence = sequence;
      this.#lastPictureUs = timeUs;
    }
    const message = { bytes, key, sequence: this.#sequence, sound };
    this.#gop.keep(message);
    for (const viewer of [...this.#viewers]) viewer.onMessage(message);
  }

  #start(message: Buffer): void {
    const stream = this.#stream;
    const [, video, sound] = CODECS.exec(stream?.mime ?? "") ?? [];
    if (stream === undefined || video === undefined) throw new RangeError("an init segment of no stream");
    const before = this.#inits;
    if (before?.whole.message.equals(message) === true) return;
    const whole = { mime: stream.mime, message, sound: sound !== undefined };
    const silent = sound === undefined ? whole : silentOf(message, video);
    const isSame = before?.silent.message.equals(silent.message) === true;
    this.#inits = { whole, silent: isSame ? before.silent : silent, sound };
    for (const viewer of [...this.#viewers]) {
      const isConcerned = [before?.sound, sound].some(
        (codec) => codec !== undefined && viewer.takesSound({ codec }),
      );
      if (!isSame || isConcerned) this.replay(viewer);
    }
  }

  #startOf(viewer: FeedViewer): FeedStart | undefined {
    const [stream, inits] = [this.#stream, this.#inits];
    if (stream === undefined || inits === undefined) return undefined;
    const { whole, silent, sound } = inits;
    const isTaken = sound !== undefined && viewer.takesSound({ codec: sound });
    const { width, height } = stream;
    const init = isTaken ? whole : silent;
    return { feed: this.#options.feed, width, height, init, isSoundLeft: sound !== undefined && !isTaken };
  }
}

function silentOf(message: Buffer, video: string): FeedInit {
  const init = videoTrackAlone(message.subarray(FEED_HEADER_BYTES));
  return {
    mime: `video/mp4; codecs="${video}"`,
    message: Buffer.concat([message.subarray(0, FEED_HEADER_BYTES), init]),
    sound: false,
  };
}
