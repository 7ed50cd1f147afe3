import type { ArchivedFrame } from "../../archive/index.js";
import type { Guid } from "../../base/index.js";
import type { VideoFormat } from "../../live/index.js";
import type { PlaybackPictures, Rotation, Transcoding } from "../../picture/index.js";
import type { RotationOf } from "../viewing/rotation.js";
import type { VideoUnit } from "./media-unit.js";
import { hlsTranscode, TranscodedFormat } from "./transcoded-format.js";

export interface ArchiveTranscodeOptions {
  readonly transcoding: Pick<Transcoding, "openPlayback">;
  readonly channelId: Guid;
  readonly rotationOf: RotationOf;
  /** Stream time that passes in a second of the player's. */
  readonly speed: number;
  /** A key frame begins here, whatever came before: a segment is made again. */
  readonly keyAtUs: number | undefined;
}

/** Pictures of a recording in a codec that no player shows, as H.264. One call at a time. */
export class ArchiveTranscode {
  readonly #options: ArchiveTranscodeOptions;
  readonly #format = new TranscodedFormat();
  #pictures: PlaybackPictures | undefined;
  #rotation: Rotation | undefined;
  #keyAtUs: number | undefined;
  #followsGap = true;

  constructor(options: ArchiveTranscodeOptions) {
    this.#options = options;
    this.#keyAtUs = options.keyAtUs;
  }

  /**
   * What came of a frame: mostly one picture. Rejects with NvrdError NOT_AVAILABLE when too much is transcoded already,
   * NOT_SUPPORTED without an encoder, and as the codec does.
   */
  async push(frame: ArchivedFrame, bytes: Buffer, format: VideoFormat): Promise<readonly VideoUnit[]> {
    const opened = this.#open(frame);
    const { decodeTimeUs, presentationOffsetUs, key } = frame;
    const followsGap = this.#followsGap || frame.startsFragment;
    this.#followsGap = false;
    if (this.#needsKey(frame)) opened.askForKey();
    const unit = { bytes: [bytes], key, decodeTimeUs, presentationOffsetUs, followsGap, format };
    const pictures = await opened.push(unit);
    return pictures.map((picture, at) => ({
      format: this.#format.of(picture, format.codec),
      decodeTimeUs: picture.timeUs,
      presentationOffsetUs: 0,
      key: picture.key,
      discontinuity: frame.startsFragment && at === 0,
      bytes: Buffer.from(picture.data),
    }));
  }

  /** After a frame that could not be decoded. */
  restart(): void {
    this.#followsGap = true;
    this.#pictures?.restart();
  }

  close(): void {
    this.#pictures?.close();
    this.#pictures = undefined;
  }

  /** Streams that join may be turned differently, and the setting may change: from a key frame on. */
  #open({ key, streamType }: ArchivedFrame): PlaybackPictures {
    const { transcoding, speed, channelId, rotationOf } = this.#options;
    const rotation = rotationOf({ channelId, streamType });
    if (this.#pictures !== undefined && (!key || rotation === this.#rotation)) return this.#pictures;
    this.close();
    this.#rotation = rotation;
    this.#followsGap = true;
    this.#pictures = transcoding.openPlayback(hlsTranscode(rotation), speed);
    return this.#pictures;
  }

  #needsKey({ decodeTimeUs, startsFragment }: ArchivedFrame): boolean {
    const isBegin = this.#keyAtUs !== undefined && decodeTimeUs >= this.#keyAtUs;
    if (isBegin) this.#keyAtUs = undefined;
    return isBegin || startsFragment || this.#format.needsKey(decodeTimeUs, this.#options.speed);
  }
}
