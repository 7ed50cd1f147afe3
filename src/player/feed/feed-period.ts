import { US_PER_SECOND } from "../../base/index.js";
import type { VideoFormat } from "../../live/index.js";
import { videoSample } from "../hls/media-unit.js";
import { fragmentHead } from "../mp4/fragment.js";
import { FragmentTracks, SOUND_TRACK, SoundPlaces, VIDEO_TRACK } from "../mp4/fragment-tracks.js";
import { VIDEO_TIMESCALE } from "../mp4/movie-header.js";
import { ticksOf } from "../mp4/segment-index-box.js";
import { withStatedOrder } from "../mp4/stated-order.js";
import { FeedFlag, FeedKind, feedMessage } from "./feed-message.js";
import type { SoundPiece } from "./sound-maker.js";
import type { FeedSoundTrack } from "./sound-track.js";

/**
 * Media time at the first picture: sound that began a little earlier has its place before it.
 */
const LEAD_US = 1_000_000;

/** One picture, in decode order. */
export interface FeedPicture {
  readonly decodeTimeUs: number;
  readonly presentationOffsetUs: number;
  readonly key: boolean;
  /** Annex B, owned by the callee, which may overwrite it. */
  readonly bytes: Buffer;
  /** An estimate: the next picture has not come yet. */
  readonly durationUs: number;
  readonly handoverUs: number;
  /** Its number in the feed. */
  readonly sequence: number;
  /** In addition to `key`: FeedFlag.discontinuity, FeedFlag.playback. */
  readonly flags: number;
}

/** The message of a piece of sound. */
export interface FeedSound extends SoundPiece {
  readonly track: FeedSoundTrack;
  readonly handoverUs: number;
  /** FeedFlag.playback, or 0. */
  readonly flags: number;
}

/** What an init segment holds, for the `stream` message. */
export interface FeedInit {
  /** For MediaSource. */
  readonly mime: string;
  /** The binary message. */
  readonly message: Buffer;
  readonly sound: boolean;
}

export interface FeedPeriodOptions {
  readonly feed: number;
  readonly format: VideoFormat;
  /** The first picture, in Annex B. */
  readonly keyFrame: Uint8Array;
  /** Its decode time. */
  readonly decodeTimeUs: number;
  /** Where media times count from; a little before `decodeTimeUs` by default. */
  readonly originUs?: number;
  /** The stream's pictures have been shown in the order of decoding so far, whatever its parameter sets allow. */
  readonly isShownAsDecoded: boolean;
}

/** Pictures in one format, with their sound: everything that one feed number and one time origin hold for. */
export class FeedPeriod extends FragmentTracks {
  readonly feed: number;
  readonly #originUs: number;
  readonly #isShownAsDecoded: boolean;
  /** Whether only the pictures themselves say in which order they are shown. */
  readonly #dependsOnShown: boolean;
  #silent: FeedInit | undefined;
  #sounding: { readonly track: FeedSoundTrack; readonly init: FeedInit } | undefined;
  #sounds: SoundPlaces<FeedSoundTrack> | undefined;
  #fragments = 0;
  /** The last picture's decode time, and its ticks. */
  #last = { us: 0, ticks: -1 };

  /** Throws NvrdError NOT_SUPPORTED if the decoder configuration is unknown. */
  constructor(options: FeedPeriodOptions) {
    const { feed, format, keyFrame, decodeTimeUs, isShownAsDecoded } = options;
    const certain = withStatedOrder(format, keyFrame);
    const shown = withStatedOrder(format, keyFrame, true);
    super(format, keyFrame, isShownAsDecoded ? shown : certain);
    this.feed = feed;
    this.#originUs = options.originUs ?? decodeTimeUs - LEAD_US;
    this.#isShownAsDecoded = isShownAsDecoded;
    this.#dependsOnShown = certain === format && shown !== format;
  }

  /** Whether the init segment says of the order of pictures what is known now. */
  statesOrder(isShownAsDecoded: boolean): boolean {
    return !this.#dependsOnShown || this.#isShownAsDecoded === isShownAsDecoded;
  }

  /** The init segment; with `sound`, the one with both tracks. */
  init(sound: FeedSoundTrack | undefined): FeedInit {
    if (sound === undefined) {
      this.#silent ??= this.#makeInit(undefined);
      return this.#silent;
    }
    if (this.#sounding?.track !== sound) {
      this.#sounding = { track: sound, init: this.#makeInit(sound) };
    }
    return this.#sounding.init;
  }

  /** The message of the next picture. */
  picture(picture: FeedPicture): Buffer {
    const { decodeTimeUs, presentationOffsetUs, key, durationUs, handoverUs, sequence, flags } = picture;
    const sample = videoSample({ format: this.format, key, bytes: picture.bytes });
    const decodeTicks = this.#decodeTicks(decodeTimeUs);
    const ownTicks = this.#ticks(decodeTimeUs, VIDEO_TIMESCALE);
    const compositionTicks = this.#ticks(decodeTimeUs + presentationOffsetUs, VIDEO_TIMESCALE) - ownTicks;
    this.#fragments += 1;
    const head = fragmentHead({
      sequence: this.#fragments,
      runs: [
        {
          trackId: VIDEO_TRACK,
          decodeTicks,
          samples: [
            {
              bytes: sample.length,
              durationTicks: Math.round((durationUs * VIDEO_TIMESCALE) / US_PER_SECOND),
              compositionTicks,
              sync: key,
            },
          ],
        },
      ],
    });
    const header = {
      kind: FeedKind.fragment,
      flags: flags | (key ? FeedFlag.key : 0),
      feed: this.feed,
      timeUs: decodeTimeUs + presentationOffsetUs,
      handoverUs,
      durationUs,
      sequence,
    };
    return feedMessage(header, head, sample);
  }

  /** The message of a piece of sound; undefined if its time is taken already. */
  sound({ track, timeUs, samples, bytes, handoverUs, flags }: FeedSound): Buffer | undefined {
    if (this.#sounds?.track !== track) this.#sounds = new SoundPlaces(track);
    const decodeTicks = this.#sounds.place(this.#mediaUs(timeUs), samples);
    if (decodeTicks === undefined) return undefined;
    this.#fragments += 1;
    const sample = { bytes: bytes.length, durationTicks: samples, compositionTicks: 0, sync: true };
    const head = fragmentHead({
      sequence: this.#fragments,
      runs: [{ trackId: SOUND_TRACK, decodeTicks, samples: [sample] }],
    });
    const header = {
      kind: FeedKind.fragment,
      flags: flags | FeedFlag.sound,
      feed: this.feed,
      timeUs,
      handoverUs,
      durationUs: (samples * US_PER_SECOND) / track.rate,
      sequence: this.#sounds.placed,
    };
    return feedMessage(header, head, bytes);
  }

  #mediaUs(timeUs: number): number {
    return timeUs - this.#originUs;
  }

  /** Players give up one of two pictures at the same tick: one that is less than a tick behind another has the next one. */
  #decodeTicks(us: number): number {
    const own = this.#ticks(us, VIDEO_TIMESCALE);
    const ticks = us > this.#last.us ? Math.max(own, this.#last.ticks + 1) : own;
    this.#last = { us, ticks };
    return ticks;
  }

  #ticks(timeUs: number, timescale: number): number {
    return ticksOf(this.#mediaUs(timeUs), timescale);
  }

  #makeInit(sound: FeedSoundTrack | undefined): FeedInit {
    const codecs = [this.codec ?? "", ...(sound === undefined ? [] : [sound.codec])];
    const header = {
      kind: FeedKind.init,
      flags: 0,
      feed: this.feed,
      timeUs: 0,
      handoverUs: 0,
      durationUs: 0,
      sequence: 0,
    };
    const message = feedMessage(header, this.initSegment(sound));
    return { mime: `video/mp4; codecs="${codecs.join(",")}"`, message, sound: sound !== undefined };
  }
}
