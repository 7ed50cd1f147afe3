import { type ArchiveKey, type RecordedSegment, streamTypesOf } from "../../archive/index.js";
import { NvrdError, type StreamType } from "../../base/index.js";
import type { HelloMessage, Tile } from "../../contract/answer/index.js";
import { Codec, type VideoFormat } from "../../live/index.js";
import type { Transcoding } from "../../picture/index.js";
import type { RotationOf } from "../viewing/rotation.js";
import { KeyFrameReading } from "./key-frame-reading.js";
import type { PlaybackWatch } from "./playback-channel.js";
import { isWhole, keyIntervalUsMin, type PlaybackOrder } from "./playback-order.js";
import { GAP_US_MIN, type PlaybackArchive, type PlaybackReading } from "./playback-reading.js";
import { TranscodedReading, type WantedPictures } from "./playback-transcode.js";
import { lastRecordedUs } from "./recorded-around.js";
import { type SentGroup, WholeReading } from "./whole-reading.js";

export interface RecordingOpenerOptions {
  readonly archive: PlaybackArchive;
  readonly transcoding: Pick<Transcoding, "openPlayback">;
  readonly rotationOf: RotationOf;
  /** What the client plays. */
  readonly codecs: HelloMessage["codecs"];
}

/** What a reading is opened for. */
export interface OpenedRecording {
  readonly watch: PlaybackWatch;
  readonly key: ArchiveKey;
  readonly order: PlaybackOrder;
  readonly sent: SentGroup | undefined;
}

interface ChosenAt {
  readonly timeUs: number;
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal;
}

/** Opens channels' recordings for one client: chooses the stream, and how it is read. */
export class RecordingOpener {
  readonly #options: RecordingOpenerOptions;

  constructor(options: RecordingOpenerOptions) {
    this.#options = options;
  }

  plays(codec: VideoFormat["codec"]): boolean {
    const { codecs } = this.#options;
    if (codec === Codec.H264) return codecs.includes("avc1");
    return codec === Codec.H265 && codecs.includes("hvc1");
  }

  /**
   * The streams that are read as one recording, the preferred one first. `streams`: those that the user may be sent, the one
   * that is recorded now first. Where several have the moment, it is the one that fits the tile.
   */
  async choose(
    watch: PlaybackWatch,
    streams: readonly StreamType[],
    { timeUs, gone }: ChosenAt,
  ): Promise<ArchiveKey> {
    const { channelId, stream, tile } = watch;
    const named = streams.filter((type) => stream === "auto" || (type === "Main") === (stream === "main"));
    const [first, ...others] = named;
    if (first === undefined) {
      throw new NvrdError("FORBIDDEN", "you may not receive the main stream of the channel");
    }
    if (others.length === 0) return { channelId, streamType: first };
    const { archive } = this.#options;
    const holders = named.filter((streamType) => archive.hasArchiveAt({ channelId, streamType }, timeUs));
    const preferred =
      holders.length > 1 ? await this.#fitting(watch, holders, { tile, timeUs, gone }) : first;
    return { channelId, streamTypes: [preferred, ...named.filter((type) => type !== preferred)] };
  }

  /** Throws NvrdError NOT_AVAILABLE when too many readers are open. */
  open({ watch, key, order, sent }: OpenedRecording, onEdge: () => void): PlaybackReading {
    const { transcoding, rotationOf } = this.#options;
    const { channelId } = watch;
    const reading = this.#read({ watch, key, order, sent }, onEdge);
    return new TranscodedReading({
      reading,
      plays: (codec) => this.plays(codec),
      transcoding,
      rotationOf: (streamType) => rotationOf({ channelId, streamType }),
      tile: watch.tile,
      speed: Math.abs(order.speed),
      wanted: wantedOf(order),
      shownAtUs: order.timeUs,
    });
  }

  #read({ watch, key, order, sent }: OpenedRecording, onEdge: () => void): PlaybackReading {
    const { archive } = this.#options;
    const { timeUs: fromUs, speed, mode, scan } = order;
    if (scan !== undefined) {
      const { everyUs: intervalUsMin, toUs: untilUs } = scan;
      return new KeyFrameReading({ archive, key, fromUs, direction: "forwards", intervalUsMin, untilUs });
    }
    if (mode === "picture") {
      const untilUs = this.#lastShownUs(key, fromUs);
      const reader = archive.read(key, { fromUs: untilUs, videoOnly: true, endsAtEdge: true });
      return new WholeReading({ reader, untilUs, sent });
    }
    if (isWhole(speed)) {
      const videoOnly = !watch.sound || speed !== 1;
      return new WholeReading({ reader: archive.read(key, { fromUs, videoOnly, onEdge }), sent });
    }
    const direction = speed > 0 ? "forwards" : "backwards";
    return new KeyFrameReading({ archive, key, fromUs, direction, intervalUsMin: keyIntervalUsMin(speed) });
  }

  /** The moment itself; right behind the end of a recording, the end: its last picture is shown a little longer. */
  #lastShownUs(key: ArchiveKey, timeUs: number): number {
    const { archive } = this.#options;
    if (archive.hasArchiveAt(key, timeUs)) return timeUs;
    const endUs = lastRecordedUs(archive, key, timeUs) ?? 0;
    return timeUs - endUs < GAP_US_MIN ? endUs - 1 : timeUs;
  }

  /** The smallest picture that fills the tile, else the largest; those that the client plays before the others. */
  async #fitting(
    { channelId }: PlaybackWatch,
    streams: readonly StreamType[],
    { tile, ...at }: ChosenAt & { readonly tile: Tile },
  ): Promise<StreamType> {
    const [first = "Main"] = streams;
    let best: { readonly type: StreamType; readonly rank: number } | undefined;
    for (const type of streams) {
      const format = await this.#formatAt({ channelId, streamType: type }, at);
      if (format === undefined) continue;
      const rank = rankOf(format, tile) + (this.plays(format.codec) ? 0 : UNPLAYABLE_RANK);
      if (best === undefined || rank < best.rank) best = { type, rank };
    }
    return best?.type ?? first;
  }

  /** As the segment that holds a moment says. */
  async #formatAt(key: ArchiveKey, { timeUs, gone }: ChosenAt): Promise<VideoFormat | undefined> {
    const { archive } = this.#options;
    let found: RecordedSegment | undefined;
    for (const segment of archive.recorded(key, { fromUs: timeUs, toUs: timeUs + 1, pieceUsMin: 0 }))
      found = segment;
    if (found === undefined) return undefined;
    try {
      const file = await archive.openRecorded(found, gone);
      file.close();
      return file.formats.video;
    } catch (error) {
      // What cannot be looked at is not preferred; reading it says why.
      if (error instanceof NvrdError) return undefined;
      throw error;
    }
  }
}

const UNPLAYABLE_RANK = 1e12;
const TOO_SMALL_RANK = 1e10;

/** Lower is better. */
function rankOf({ width, height }: VideoFormat, tile: Tile): number {
  const pixels = width * height;
  const fills = width >= tile.width || height >= tile.height;
  return fills ? pixels : TOO_SMALL_RANK - pixels;
}

function wantedOf({ mode, speed, scan }: PlaybackOrder): WantedPictures {
  if (scan !== undefined) return "each";
  if (mode === "picture") return "last";
  return isWhole(speed) ? "all" : "each";
}

/** Whether a stream is among those of a key. */
export function readsStream(key: ArchiveKey, streamType: StreamType): boolean {
  return streamTypesOf(key).includes(streamType);
}
