import type { HelloMessage, StreamMessage } from "../../contract/answer/index.js";
import type { AudioFormat } from "../../live/index.js";
import { isSameAudioFormat, isSameVideoFormat } from "../../picture/index.js";
import { FeedFlag } from "../feed/feed-message.js";
import { FeedPeriod } from "../feed/feed-period.js";
import { type SoundMaker, soundMaker } from "../feed/sound-maker.js";
import type { PictureUnit, SoundUnit } from "./playback-reading.js";
import type { PlaybackSink } from "./playback-sink.js";

export interface PlaybackFeedOptions {
  /** The client's number of the subscription. */
  readonly id: number;
  /** What the client plays. */
  readonly codecs: HelloMessage["codecs"];
  readonly nextFeed: () => number;
  readonly sink: PlaybackSink;
}

/** What a stream message and an init segment hold for. */
interface SentPeriod {
  readonly period: FeedPeriod;
  readonly source: StreamMessage["source"];
  /** The sound of the recording, and whether it is sent. */
  readonly sound: AudioFormat | undefined;
  readonly isSoundSent: boolean;
}

/**
 * What a client is sent of one channel's recording: a `stream` message and an init segment where the format changes, a
 * fragment for each picture, and its sound. Media times are Unix time, the same for all channels of a playback, whatever is
 * jumped over.
 */
export class PlaybackFeed {
  readonly #options: PlaybackFeedOptions;
  /** Pictures of the feed, with those that were left out. */
  #sequence = 0;
  #sent: SentPeriod | undefined;
  #sound: SoundMaker | undefined;
  #isJump = true;

  constructor(options: PlaybackFeedOptions) {
    this.#options = options;
  }

  /** Whether what was sent last was transcoded. */
  get isTranscoded(): boolean {
    return this.#sent?.source === "transcode";
  }

  /** What follows does not continue what was sent: after a seek. */
  jump(): void {
    this.#isJump = true;
    this.#sound = undefined;
  }

  /** A picture was left out, because the client was behind. */
  leaveOut(): void {
    this.#sequence += 1;
  }

  /** May write into the unit's bytes. Throws NvrdError NOT_SUPPORTED for a key frame that cannot be packaged. */
  picture(unit: PictureUnit, readUs: number): void {
    const period = this.#periodFor(unit);
    if (period === undefined) return;
    const { decodeTimeUs, presentationOffsetUs, key, durationUs } = unit;
    const isJump = this.#isJump || unit.discontinuity;
    this.#isJump = false;
    const flags = FeedFlag.playback | (isJump ? FeedFlag.discontinuity : 0);
    this.#sequence += 1;
    const sequence = this.#sequence;
    const times = { decodeTimeUs, presentationOffsetUs, durationUs, handoverUs: readUs };
    const bytes = Buffer.from(unit.bytes.buffer, unit.bytes.byteOffset, unit.bytes.length);
    this.#options.sink.media(period.picture({ ...times, key, bytes, sequence, flags }));
  }

  /** Sound that the stream was not announced with waits for the next key frame. */
  sound({ format, bytes, decodeTimeUs }: SoundUnit, readUs: number): void {
    const sent = this.#sent;
    if (sent?.isSoundSent !== true || sent.sound === undefined || !isSameAudioFormat(sent.sound, format))
      return;
    this.#sound ??= soundMaker(format);
    const maker = this.#sound;
    if (maker === undefined) return;
    for (const piece of maker.push(bytes, decodeTimeUs)) {
      const sound = { ...piece, track: maker.track, handoverUs: readUs, flags: FeedFlag.playback };
      const message = sent.period.sound(sound);
      if (message !== undefined) this.#options.sink.media(message);
    }
  }

  /** Undefined for a picture that depends on one that was not sent. */
  #periodFor(unit: PictureUnit): FeedPeriod | undefined {
    const known = this.#sent;
    if (!unit.key) return known?.period;
    const isSame =
      known?.source === sourceOf(unit) &&
      isSameVideoFormat(known.period.format, unit.format) &&
      isSameSound(known.sound, unit.sound);
    return isSame ? known.period : this.#begin(unit);
  }

  #begin(unit: PictureUnit): FeedPeriod {
    const { id, nextFeed, sink } = this.#options;
    const { format, bytes, decodeTimeUs } = unit;
    const period = new FeedPeriod({
      ...{ feed: nextFeed(), format, keyFrame: bytes, decodeTimeUs, originUs: 0 },
      isShownAsDecoded: false,
    });
    this.#sound = unit.sound === undefined ? undefined : soundMaker(unit.sound);
    const track = this.#sound !== undefined && this.#plays(this.#sound) ? this.#sound.track : undefined;
    const source = sourceOf(unit);
    this.#sent = { period, source, sound: unit.sound, isSoundSent: track !== undefined };
    this.#isJump = true;
    this.#sequence = 0;
    const { feed, width, height } = period;
    const { mime, message, sound } = period.init(track);
    const reason = reasonOf(unit, sound);
    sink.message({ type: "stream", id, feed, mime, source, width, height, sound, ...reason });
    sink.media(message);
    return period;
  }

  #plays({ track }: SoundMaker): boolean {
    return this.#options.codecs.some((codec) => track.codec.startsWith(codec));
  }
}

function sourceOf(unit: PictureUnit): StreamMessage["source"] {
  if (unit.isTranscoded === true) return "transcode";
  return unit.streamType === "Main" ? "main" : "alternative";
}

function reasonOf(unit: PictureUnit, sound: boolean): Pick<StreamMessage, "reason"> {
  if (unit.isTranscoded === true) return { reason: "codec-not-playable" };
  return unit.sound !== undefined && !sound ? { reason: "sound-codec-not-playable" } : {};
}

function isSameSound(one: AudioFormat | undefined, other: AudioFormat | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return isSameAudioFormat(one, other);
}
