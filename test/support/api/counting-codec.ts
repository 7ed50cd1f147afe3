import type { VideoFormat } from "../../../src/live/codec/codec.js";
import type {
  Codec,
  CodecLoad,
  CodedUnit,
  DecodeSkip,
  EncodedUnit,
  MotionWatch,
  Picture,
  PictureTarget,
  RegionMotion,
  SoundPiece,
  SoundTranscoder,
  SoundTranscoderOptions,
  VideoDecoder,
  VideoEncoder,
  VideoEncoderOptions,
  WatchedZone,
} from "../../../src/picture/index.js";
import { motionWatch, regionMotion } from "../recording/motion-watch.js";

/** What a decoder was asked, in order. */
export interface DecodeCall {
  readonly decoder: number;
  readonly label: string;
  readonly targets: readonly PictureTarget[];
  readonly skip: DecodeSkip;
}

/** A codec that decodes nothing and counts everything: a picture holds the label (`frame 7`) of its unit. */
export class CountingCodec implements Codec {
  readonly calls: DecodeCall[] = [];
  readonly encoders: VideoEncoderOptions[] = [];
  readonly sounds: SoundTranscoderOptions[] = [];
  encoded = 0;
  forcedKeys = 0;
  opened = 0;
  open = 0;
  /** Set: openVideoEncoder has none. */
  withoutEncoder = false;
  /** What the next decode rejects with. */
  fault: Error | undefined;
  /** Bytes that each picture has at least. */
  pictureBytes = 0;
  /** Units that the decoder gives out later than it takes them, as with B-frames. */
  delay = 0;
  /** Held until it resolves: a decoder that is busy. */
  gate: Promise<void> = Promise.resolve();

  memory = { frameBytes: 0, frameBytesMax: 1, frameRefusals: 0 };

  get load(): CodecLoad {
    return { threads: 1, running: 0, queued: 0, open: this.open, ...this.memory };
  }

  /** Pictures that were made, in all forms. */
  get made(): number {
    return this.calls.reduce((sum, call) => sum + call.targets.length, 0);
  }

  decodeStill(): Promise<readonly Picture[]> {
    return Promise.reject(new Error("no stills here"));
  }

  openVideoDecoder(format: VideoFormat): VideoDecoder {
    this.opened += 1;
    this.open += 1;
    const decoder = this.opened;
    const held: CodedUnit[] = [];
    let closed = false;
    const pictures = (units: readonly CodedUnit[], targets: readonly PictureTarget[]) =>
      units.map((unit) =>
        targets.map((target) => pictureOf(unit, target, { format, bytes: this.pictureBytes })),
      );
    return {
      name: "counting",
      busyUs: 0,
      decode: async (unit, targets, skip = "none") => {
        this.calls.push({ decoder, label: labelOf(unit), targets, skip });
        const { fault } = this;
        this.fault = undefined;
        await this.gate;
        if (closed) throw new Error("closed while it decoded");
        if (fault !== undefined) throw fault;
        held.push(unit);
        return pictures(held.splice(0, Math.max(0, held.length - this.delay)), targets);
      },
      flush: async (targets) => pictures(held.splice(0), targets),
      close: () => {
        if (!closed) this.open -= 1;
        closed = true;
      },
    };
  }

  openVideoEncoder(options: VideoEncoderOptions): VideoEncoder | undefined {
    if (this.withoutEncoder) return undefined;
    this.encoders.push(options);
    this.open += 1;
    let count = 0;
    return {
      name: "counting",
      encode: async (picture, forceKey): Promise<readonly EncodedUnit[]> => {
        if (forceKey === true) this.forcedKeys += 1;
        this.encoded += 1;
        const key = count % options.gopLength === 0 || forceKey === true;
        count = key ? 1 : count + 1;
        return [{ data: picture.data, key, timeUs: picture.timeUs }];
      },
      close: () => {
        this.open -= 1;
      },
    };
  }

  openMotionWatch(zones: readonly WatchedZone[]): MotionWatch {
    return motionWatch(zones);
  }

  openRegionMotion(zones: readonly WatchedZone[]): RegionMotion {
    return regionMotion(zones);
  }

  openSoundTranscoder(options: SoundTranscoderOptions): SoundTranscoder {
    this.sounds.push(options);
    this.open += 1;
    return {
      push: async (bytes, decodeTimeUs): Promise<readonly SoundPiece[]> => {
        const data = Buffer.concat([Buffer.from(`${options.output} `), ...bytes]);
        return [{ data, timeUs: decodeTimeUs, durationUs: 20_000 }];
      },
      close: () => {
        this.open -= 1;
      },
    };
  }
}

/** `frame 7` of the bytes that test/support/api/api-frames.ts makes. */
export function labelOf(unit: Pick<CodedUnit, "bytes">): string {
  return Buffer.concat(unit.bytes).toString("latin1").split(";")[0] ?? "";
}

/** The label in a picture of the counting codec. */
export function labelIn(data: Uint8Array): string {
  return /frame \d+/.exec(Buffer.from(data).toString("latin1"))?.[0] ?? "";
}

function pictureOf(
  unit: CodedUnit,
  target: PictureTarget,
  { format, bytes }: { readonly format: VideoFormat; readonly bytes: number },
): Picture {
  const width = target.width ?? format.width;
  const height = target.height ?? format.height;
  const label = Buffer.from(`${labelOf(unit)};${width}x${height}`, "latin1");
  const padding = Buffer.alloc(bytes, 0x20);
  const jpeg = Buffer.concat([
    Buffer.from("ffd8ffe000104a464946", "hex"),
    label,
    padding,
    Buffer.from("ffd9", "hex"),
  ]);
  return {
    form: target.form,
    width,
    height,
    timeUs: unit.decodeTimeUs + unit.presentationOffsetUs,
    damaged: false,
    sourceWidth: format.width,
    sourceHeight: format.height,
    data: target.form === "jpeg" ? jpeg : Buffer.concat([label, padding]),
  };
}
