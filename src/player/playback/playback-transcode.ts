import { NvrdError, type StreamType } from "../../base/index.js";
import type { Tile } from "../../contract/answer/index.js";
import { codecName, type VideoFormat } from "../../live/index.js";
import type {
  PlaybackPictures,
  PlaybackUnit as RecordedPicture,
  Rotation,
  TranscodedPicture,
  TranscodeSpec,
  Transcoding,
} from "../../picture/index.js";
import { TranscodedFormat } from "../hls/transcoded-format.js";
import type { PictureUnit, PlaybackReading, PlaybackUnit } from "./playback-reading.js";

/** Larger pictures are made smaller, whatever the tile. */
const WIDTH_MAX = 1920;
const HEIGHT_MAX = 1080;
const SIDE_MIN = 16;
const PICTURES_A_SECOND_MAX = 25;
/** So many pictures before the last decoded one may be shown behind it. */
const REORDERED_MAX = 4;

/** Which pictures are wanted: all in turn, each by itself, or only the one that is shown at the end of the reading. */
export type WantedPictures = "all" | "each" | "last";

export interface TranscodedReadingOptions {
  readonly reading: PlaybackReading;
  /** Whether the client plays a codec. */
  readonly plays: (codec: VideoFormat["codec"]) => boolean;
  readonly transcoding: Pick<Transcoding, "openPlayback">;
  /** How the pictures of a stream are turned. */
  readonly rotationOf: (streamType: StreamType) => Rotation;
  readonly tile: Tile;
  /** Stream time that passes in a second of the player's. */
  readonly speed: number;
  readonly wanted: WantedPictures;
  /** With `last`: the moment whose picture is wanted. */
  readonly shownAtUs: number;
}

/**
 * A reading whose pictures in a codec that the client does not play come as H.264, and those that begin where no clean key frame is:
 * browsers begin nowhere else. What it plays passes as it is.
 */
export class TranscodedReading implements PlaybackReading {
  readonly #options: TranscodedReadingOptions;
  readonly #format = new TranscodedFormat();
  #pictures: PlaybackPictures | undefined;
  /** The last pictures that were read, while it is not known which of them is the one that is shown. */
  #held: PictureUnit[] = [];
  /** Of the newest key frame that was read. */
  #sound: PictureUnit["sound"];
  #needsKey = true;
  #followsGap = true;
  /** No clean key frame has come since the player began, or began anew. */
  #isUnclean = false;
  #isBegun = false;
  #isOver = false;

  constructor(options: TranscodedReadingOptions) {
    this.#options = options;
  }

  /** Rejects also with NvrdError NOT_AVAILABLE when too much is transcoded already, NOT_SUPPORTED without an encoder. */
  async next(): Promise<readonly PlaybackUnit[]> {
    while (!this.#isOver) {
      const units = await this.#options.reading.next();
      if (units.length === 0) {
        const last = await this.#endOfReading();
        this.close();
        return last;
      }
      const made: PlaybackUnit[] = [];
      for (const unit of units) made.push(...(await this.#convert(unit)));
      if (made.length > 0 && !this.#isOver) return made;
    }
    return [];
  }

  close(): void {
    this.#isOver = true;
    this.#options.reading.close();
    this.#pictures?.close();
    this.#pictures = undefined;
  }

  async #convert(unit: PlaybackUnit): Promise<readonly PlaybackUnit[]> {
    if (this.#isOver) return [];
    if (unit.kind === "sound") return [unit];
    if (unit.key) this.#enter(unit);
    if (this.#options.plays(unit.format.codec) && !this.#isUnclean) {
      this.#needsKey = true;
      return [unit];
    }
    try {
      return await this.#transcode({ ...unit, bytes: Buffer.from(unit.bytes) });
    } catch (error) {
      if (error instanceof NvrdError && (error.code === "NOT_AVAILABLE" || error.code === "NOT_SUPPORTED"))
        throw error;
      // A picture that cannot be decoded is left out, with those that need it.
      this.#pictures?.restart();
      this.#needsKey = true;
      this.#held = [];
      return [];
    }
  }

  /** Within what was begun with a clean key frame, others need no care. */
  #enter({ discontinuity, isUnclean = false }: PictureUnit): void {
    const begins = !this.#isBegun || discontinuity || this.#options.wanted === "each";
    this.#isBegun = true;
    if (begins || !isUnclean) this.#isUnclean = isUnclean;
  }

  async #transcode(unit: PictureUnit): Promise<readonly PictureUnit[]> {
    if (this.#needsKey) {
      if (!unit.key) return [];
      this.#needsKey = false;
      this.#followsGap = true;
    }
    if (unit.key) this.#sound = unit.sound;
    const pictures = this.#open();
    switch (this.#options.wanted) {
      case "all": {
        if (unit.discontinuity || this.#format.needsKey(unit.decodeTimeUs, this.#options.speed))
          pictures.askForKey();
        return this.#units(unit, await pictures.push(this.#recorded(unit)));
      }
      case "each": {
        pictures.askForKey();
        return this.#units(unit, (await pictures.look(this.#recorded(unit, true), true)).slice(0, 1));
      }
      case "last": {
        this.#held.push(unit);
        const kept = unit.presentationOffsetUs > 0 ? REORDERED_MAX : 1;
        while (this.#held.length > kept) {
          const passed = this.#held.shift();
          if (passed !== undefined) await pictures.pass(this.#recorded(passed));
        }
        return [];
      }
    }
  }

  /** The picture that is shown at the moment, with those that it was encoded from. */
  async #endOfReading(): Promise<readonly PictureUnit[]> {
    const held = this.#held;
    const last = held.at(-1);
    if (last === undefined || this.#isOver) return [];
    const pictures = this.#open();
    pictures.askForKey();
    const shown: TranscodedPicture[] = [];
    for (const unit of held) shown.push(...(await pictures.look(this.#recorded(unit), unit === last)));
    const { shownAtUs } = this.#options;
    const wanted = Math.max(
      0,
      shown.findLastIndex(({ timeUs }) => timeUs <= shownAtUs),
    );
    const from = shown.findLastIndex(({ key }, at) => key && at <= wanted);
    return this.#units({ ...last, discontinuity: true }, shown.slice(Math.max(0, from), wanted + 1));
  }

  #open(): PlaybackPictures {
    const { transcoding, tile, speed } = this.#options;
    this.#pictures ??= transcoding.openPlayback(specFor(tile), speed);
    return this.#pictures;
  }

  #recorded(unit: PictureUnit, isAlone = false): RecordedPicture {
    const { format, key, decodeTimeUs, presentationOffsetUs, bytes } = unit;
    const followsGap = isAlone || this.#followsGap || unit.discontinuity;
    this.#followsGap = false;
    const rotation = this.#options.rotationOf(unit.streamType);
    return { bytes: [bytes], key, decodeTimeUs, presentationOffsetUs, followsGap, format, rotation };
  }

  #units(unit: PictureUnit, pictures: readonly TranscodedPicture[]): PictureUnit[] {
    return pictures.map((picture, at) => {
      if (picture.form !== "h264") throw noEncoder(unit.format.codec);
      return {
        ...unit,
        format: this.#format.of(picture, unit.format.codec),
        isTranscoded: true,
        sound: this.#sound,
        key: picture.key,
        decodeTimeUs: picture.timeUs,
        presentationOffsetUs: 0,
        discontinuity: unit.discontinuity && at === 0,
        gap: at === 0 ? unit.gap : undefined,
        bytes: Buffer.from(picture.data),
      };
    });
  }
}

function specFor({ width, height }: Tile): TranscodeSpec {
  return {
    width: Math.max(SIDE_MIN, Math.min(width, WIDTH_MAX)),
    height: Math.max(SIDE_MIN, Math.min(height, HEIGHT_MAX)),
    framesPerSecond: PICTURES_A_SECOND_MAX,
    form: "h264",
    rotation: 0,
  };
}

function noEncoder(codec: VideoFormat["codec"]): NvrdError {
  return new NvrdError(
    "NOT_SUPPORTED",
    `the recording is ${codecName(codec)}, which this client does not play, and there is no encoder to transcode it`,
  );
}
