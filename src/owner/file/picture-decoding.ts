import type { VideoFormat } from "../../live/index.js";
import {
  type Codec,
  CodecError,
  type DecodeSkip,
  fitInside,
  isSameVideoFormat,
  type Picture,
  type PictureSize,
  type PictureTarget,
  type VideoDecoder,
} from "../../picture/index.js";
import type { UnitFrame } from "../../player/index.js";
import type { Patience } from "./patience.js";

export interface PictureDecodingOptions {
  readonly codec: Pick<Codec, "openVideoDecoder">;
  readonly patiently: Patience;
  /** Pictures are scaled into it, never enlarged; sides are even. An upright source is scaled into the upright one. */
  readonly box: PictureSize;
  readonly turns?: boolean;
}

/** Decodes the frames of a plan, whatever their formats, one after the other. */
export class PictureDecoding {
  readonly #options: PictureDecodingOptions;
  #decoder: { readonly decoder: VideoDecoder; readonly format: VideoFormat } | undefined;
  #source: PictureSize | undefined;

  constructor(options: PictureDecodingOptions) {
    this.#options = options;
  }

  /** The pictures that came out, those of a format before first; none of a frame that cannot be decoded. `isWanted`: not only for those that refer to it. */
  async decode(
    frame: UnitFrame,
    format: VideoFormat,
    { isWanted = true, skip = "none" }: { readonly isWanted?: boolean; readonly skip?: DecodeSkip } = {},
  ): Promise<readonly Picture[]> {
    const before =
      this.#decoder === undefined || isSameVideoFormat(this.#decoder.format, format) ? [] : await this.end();
    const decoder = await this.#decoderFor(format);
    const unit = { ...frame, bytes: [frame.bytes] };
    const targets = isWanted ? [this.#target(format)] : [];
    return [...before, ...(await this.#take(() => decoder.decode(unit, targets, skip)))];
  }

  /** The pictures that are still held back; what comes next follows a gap. */
  async end(): Promise<readonly Picture[]> {
    const decoder = this.#decoder?.decoder;
    const held = decoder === undefined ? [] : await this.#take(() => decoder.flush([this.#target()]));
    this.close();
    return held;
  }

  close(): void {
    this.#decoder?.decoder.close();
    this.#decoder = undefined;
  }

  /** What cannot be decoded is left out, up to the next key frame. */
  async #take(work: () => Promise<readonly (readonly Picture[])[]>): Promise<readonly Picture[]> {
    let made: readonly (readonly Picture[])[];
    try {
      made = await this.#options.patiently(work);
    } catch (error) {
      if (error instanceof CodecError && (error.kind === "corrupt" || error.kind === "too-large")) return [];
      throw error;
    }
    return made.flatMap(([picture]) => (picture !== undefined && this.#fits(picture) ? [picture] : []));
  }

  /** The first one of a stream whose size was not known may not; the next one does. */
  #fits(picture: Picture): boolean {
    this.#source = { width: picture.sourceWidth, height: picture.sourceHeight };
    const { width, height } = this.#sizeOf(this.#source);
    return picture.width === width && picture.height === height;
  }

  #target(format?: VideoFormat): PictureTarget {
    if (format !== undefined && format.width > 0 && format.height > 0) this.#source = format;
    if (this.#source === undefined) return { form: "yuv420", ...this.#options.box, fit: "inside" };
    return { form: "yuv420", ...this.#sizeOf(this.#source), fit: "exact" };
  }

  #sizeOf(source: PictureSize): PictureSize {
    const { box, turns = false } = this.#options;
    const isTurned = turns && source.height > source.width;
    return evenSize(source, isTurned ? { width: box.height, height: box.width } : box);
  }

  async #decoderFor(format: VideoFormat): Promise<VideoDecoder> {
    if (this.#decoder !== undefined) return this.#decoder.decoder;
    const open = async (): Promise<VideoDecoder> => this.#options.codec.openVideoDecoder(format, "when-idle");
    const decoder = await this.#options.patiently(open);
    this.#decoder = { decoder, format };
    return decoder;
  }
}

/** Inside a size, with even sides (ITU-T H.264, 6.2). */
function evenSize(source: PictureSize, box: PictureSize): PictureSize {
  const { width, height } = fitInside(source, box);
  return { width: Math.max(2, width & ~1), height: Math.max(2, height & ~1) };
}
