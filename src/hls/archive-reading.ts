import type { ArchivedFrame, ArchiveReader } from "../archive/index.js";
import { type AudioFormat, isAudioCodec, type VideoFormat } from "../live/index.js";
import type { SoundUnit, VideoUnit } from "./media-unit.js";
import type { SoundFeed } from "./sound-feed.js";

export type ArchivedUnit =
  | { readonly kind: "video"; readonly unit: VideoUnit }
  | { readonly kind: "sound"; readonly units: readonly SoundUnit[] };

export interface ArchiveReadingOptions {
  readonly reader: ArchiveReader;
  readonly feed: SoundFeed;
  readonly keyFramesOnly: boolean;
}

/** Reads a recording's frames as units for packaging: copied, without undecodable frames, with sound converted to AAC. */
export class ArchiveReading {
  readonly #options: ArchiveReadingOptions;
  #needsKey = true;
  #leftOut = false;
  #startsFragment = false;

  constructor(options: ArchiveReadingOptions) {
    this.#options = options;
  }

  /** The next units; undefined after `close`, or at the live edge of a reader that ends there. Rejects as the reader does. */
  async next(): Promise<readonly ArchivedUnit[] | undefined> {
    const { reader } = this.#options;
    const frames = await reader.next();
    if (frames.length === 0) return undefined;
    // The frames' bytes are valid only until the next call of the reader.
    const pending = frames.map((frame) => this.#unitOf(frame));
    const units: ArchivedUnit[] = [];
    for (const each of pending) {
      const unit = each instanceof Promise ? await each : each;
      if (unit !== undefined) units.push(unit);
    }
    return units;
  }

  close(): void {
    this.#options.reader.close();
    this.#options.feed.close();
  }

  #unitOf(frame: ArchivedFrame): ArchivedUnit | undefined | Promise<ArchivedUnit> {
    this.#startsFragment ||= frame.startsFragment;
    return isAudioCodec(frame.codec) ? this.#soundOf(frame) : this.#pictureOf(frame);
  }

  #soundOf({ format, bytes, decodeTimeUs }: ArchivedFrame): ArchivedUnit | undefined | Promise<ArchivedUnit> {
    if (this.#needsKey || format === undefined || !("sampleRate" in format)) return undefined;
    const sound = { format: format as AudioFormat, bytes: Buffer.from(bytes), timeUs: decodeTimeUs };
    const units = this.#options.feed.convert(sound);
    if (units instanceof Promise) return units.then((converted) => ({ kind: "sound", units: converted }));
    return { kind: "sound", units };
  }

  #pictureOf(frame: ArchivedFrame): ArchivedUnit | undefined {
    const { decodeTimeUs, presentationOffsetUs, key } = frame;
    if (frame.undecodable || (this.#needsKey && !key)) {
      this.#needsKey = true;
      this.#leftOut = true;
      return undefined;
    }
    if (this.#options.keyFramesOnly && !key) return undefined;
    const discontinuity = this.#startsFragment || this.#leftOut;
    this.#needsKey = false;
    this.#leftOut = false;
    this.#startsFragment = false;
    const format = videoFormat(frame);
    const bytes = Buffer.from(frame.bytes);
    return { kind: "video", unit: { format, decodeTimeUs, presentationOffsetUs, key, discontinuity, bytes } };
  }
}

/** Without a format in the segment's header: the key frame itself carries the decoder's initialization data. */
function videoFormat({ codec, format }: ArchivedFrame): VideoFormat {
  if (format !== undefined && "width" in format) return format;
  return { codec, width: 0, height: 0, initialization: new Uint8Array(0) };
}
