import { FeedFlag, FeedPeriod } from "../../../feed/index.js";
import type { StreamMessage } from "../../../messages/index.js";
import { isSameVideoFormat } from "../../../picture/index.js";
import type { PictureUnit } from "./playback-reading.js";
import type { PlaybackSink } from "./playback-sink.js";

export interface PlaybackFeedOptions {
  /** The client's number of the subscription. */
  readonly id: number;
  readonly nextFeed: () => number;
  readonly sink: PlaybackSink;
}

/**
 * What a client is sent of one channel's recording: a `stream` message and an init segment where the format changes, and a
 * fragment for each picture. Media times are Unix time, the same for all channels of a playback, whatever is jumped over.
 */
export class PlaybackFeed {
  readonly #options: PlaybackFeedOptions;
  /** Pictures of the feed, with those that were left out. */
  #sequence = 0;
  #period: { readonly period: FeedPeriod; readonly source: StreamMessage["source"] } | undefined;
  #isJump = true;

  constructor(options: PlaybackFeedOptions) {
    this.#options = options;
  }

  /** Whether what was sent last was transcoded. */
  get isTranscoded(): boolean {
    return this.#period?.source === "transcode";
  }

  /** What follows does not continue what was sent: after a seek. */
  jump(): void {
    this.#isJump = true;
  }

  /** A picture was left out, because the client was behind. */
  leaveOut(): void {
    this.#sequence += 1;
  }

  /** Throws NvrdError NOT_SUPPORTED for a key frame that cannot be packaged. */
  send(unit: PictureUnit, readUs: number): void {
    const period = this.#periodFor(unit);
    if (period === undefined) return;
    const { decodeTimeUs, presentationOffsetUs, key, durationUs } = unit;
    const isJump = this.#isJump || unit.discontinuity;
    this.#isJump = false;
    const flags = FeedFlag.playback | (isJump ? FeedFlag.discontinuity : 0);
    this.#sequence += 1;
    const sequence = this.#sequence;
    const times = { decodeTimeUs, presentationOffsetUs, durationUs, handoverUs: readUs };
    // Packaging writes into the bytes, and they are the reader's.
    const bytes = Buffer.from(unit.bytes);
    this.#options.sink.media(period.picture({ ...times, key, bytes, sequence, flags }));
  }

  /** Undefined for a picture that depends on one that was not sent. */
  #periodFor(unit: PictureUnit): FeedPeriod | undefined {
    const source = sourceOf(unit);
    const known = this.#period;
    const isSame = known?.source === source && isSameVideoFormat(known.period.format, unit.format);
    if (known !== undefined && (isSame || !unit.key)) return known.period;
    if (!unit.key) return undefined;
    const { id, nextFeed, sink } = this.#options;
    const period = new FeedPeriod(nextFeed(), unit.format, unit.bytes, unit.decodeTimeUs, 0);
    this.#period = { period, source };
    this.#sequence = 0;
    this.#isJump = true;
    const { feed, width, height } = period;
    const { mime, message, sound } = period.init(undefined);
    const reason = unit.isTranscoded === true ? ({ reason: "codec-not-playable" } as const) : {};
    sink.message({ type: "stream", id, feed, mime, source, width, height, sound, ...reason });
    sink.media(message);
    return period;
  }
}

function sourceOf(unit: PictureUnit): StreamMessage["source"] {
  if (unit.isTranscoded === true) return "transcode";
  return unit.streamType === "Main" ? "main" : "alternative";
}
