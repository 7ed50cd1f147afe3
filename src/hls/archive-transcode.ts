import type { ArchivedFrame } from "../archive/index.js";
import type { VideoFormat } from "../live/index.js";
import type { PlaybackPictures, Transcoding } from "../picture/index.js";
import type { VideoUnit } from "./media-unit.js";
import { HLS_TRANSCODE, TranscodedFormat } from "./transcoded-format.js";

export interface ArchiveTranscodeOptions {
  readonly transcoding: Pick<Transcoding, "openPlayback">;
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
    const { transcoding, speed } = this.#options;
    this.#pictures ??= transcoding.openPlayback(HLS_TRANSCODE, speed);
    const { decodeTimeUs, presentationOffsetUs, key } = frame;
    const followsGap = this.#followsGap || frame.startsFragment;
    this.#followsGap = false;
    if (this.#needsKey(frame)) this.#pictures.askForKey();
    const unit = { bytes: [bytes], key, decodeTimeUs, presentationOffsetUs, followsGap, format };
    const pictures = await this.#pictures.push(unit);
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

  #needsKey({ decodeTimeUs, startsFragment }: ArchivedFrame): boolean {
    const isBegin = this.#keyAtUs !== undefined && decodeTimeUs >= this.#keyAtUs;
    if (isBegin) this.#keyAtUs = undefined;
    return isBegin || startsFragment || this.#format.needsKey(decodeTimeUs, this.#options.speed);
  }
}
