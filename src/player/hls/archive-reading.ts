import type { ArchivedFrame, ArchiveReader } from "../../archive/index.js";
import { errorText, type Log, NvrdError } from "../../base/index.js";
import { type AudioFormat, isAudioCodec, type VideoFormat } from "../../live/index.js";
import type { ArchiveTranscode } from "./archive-transcode.js";
import { isPlayable, type SoundUnit, type VideoUnit } from "./media-unit.js";
import type { SoundFeed } from "./sound-feed.js";

export type ArchivedUnit =
  | { readonly kind: "video"; readonly unit: VideoUnit }
  | { readonly kind: "sound"; readonly units: readonly SoundUnit[] };

export interface ArchiveReadingOptions {
  readonly reader: ArchiveReader;
  readonly feed: SoundFeed;
  /** For pictures in a codec that no player shows. */
  readonly transcode: ArchiveTranscode;
  readonly log: Log;
  readonly keyFramesOnly: boolean;
}

/** What the next frame does not mend: no room for a transcode, no encoder. */
const LASTING: ReadonlySet<string> = new Set(["NOT_AVAILABLE", "NOT_SUPPORTED"]);

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
      if (typeof each === "function") units.push(...(await each()));
      else {
        const unit = each instanceof Promise ? await each : each;
        if (unit !== undefined) units.push(unit);
      }
    }
    return units;
  }

  close(): void {
    this.#options.reader.close();
    this.#options.feed.close();
    this.#options.transcode.close();
  }

  /** What is transcoded waits for its turn. */
  #unitOf(
    frame: ArchivedFrame,
  ): ArchivedUnit | undefined | Promise<ArchivedUnit> | (() => Promise<readonly ArchivedUnit[]>) {
    this.#startsFragment ||= frame.startsFragment;
    if (isAudioCodec(frame.codec)) return this.#soundOf(frame);
    return isPlayable(frame.codec) ? this.#pictureOf(frame) : this.#transcoded(frame);
  }

  #transcoded(frame: ArchivedFrame): (() => Promise<readonly ArchivedUnit[]>) | undefined {
    if (frame.undecodable || (this.#needsKey && !frame.key)) {
      this.#needsKey = true;
      return undefined;
    }
    this.#needsKey = false;
    this.#startsFragment = false;
    const bytes = Buffer.from(frame.bytes);
    return () => this.#transcode(frame, bytes);
  }

  /** A frame that cannot be decoded is left out, with those that need it. */
  async #transcode(frame: ArchivedFrame, bytes: Buffer): Promise<readonly ArchivedUnit[]> {
    const { transcode, log } = this.#options;
    try {
      const units = await transcode.push(frame, bytes, videoFormat(frame));
      return units.map((unit) => ({ kind: "video", unit }) as const);
    } catch (error) {
      if (error instanceof NvrdError && LASTING.has(error.code)) throw error;
      log.info({ reason: errorText(error) }, "a recorded picture cannot be decoded: left out");
      this.#needsKey = true;
      transcode.restart();
      return [];
    }
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
