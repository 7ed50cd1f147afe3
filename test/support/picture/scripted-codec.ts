import type {
  Codec,
  CodedUnit,
  DecodeStillOptions,
  MotionWatch,
  Picture,
  PictureTarget,
  RegionMotion,
  WatchedZone,
} from "../../../src/picture/index.js";
import { motionWatch, regionMotion } from "../recording/motion-watch.js";

/** Size of every picture that the scripted codec decodes. */
export const SCRIPTED_WIDTH = 640;
export const SCRIPTED_HEIGHT = 360;

/** The number in a unit of `frameBytes`. */
export function frameNumber(unit: CodedUnit | undefined): number {
  const text = Buffer.concat(unit?.bytes ?? []).toString("latin1", 0, 32);
  return Number(/^frame (\d+);/.exec(text)?.[1] ?? -1);
}

/**
 * A codec whose pictures are one grey, three for each number of the frame (`frameBytes`), and which notes what it was asked. With `hold` it
 * decodes nothing until `release`.
 */
export class ScriptedCodec implements Codec {
  readonly load = {
    threads: 1,
    running: 0,
    queued: 0,
    open: 0,
    frameBytes: 0,
    frameBytesMax: 1,
    frameRefusals: 0,
  };
  readonly asked: DecodeStillOptions[] = [];
  /** What it gave, in order. */
  readonly made: Picture[] = [];
  /** Thrown in place of a picture, as long as it says so. */
  failure: ((options: DecodeStillOptions) => Error | undefined) | undefined;
  #held: (() => void)[] | undefined;

  hold(): void {
    this.#held = [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const go of held) go();
  }

  /** Decodings that wait for `release`. */
  get held(): number {
    return this.#held?.length ?? 0;
  }

  async decodeStill(options: DecodeStillOptions): Promise<readonly Picture[]> {
    this.asked.push(options);
    const held = this.#held;
    if (held !== undefined) await new Promise<void>((resolve) => held.push(resolve));
    else await Promise.resolve();
    const failure = this.failure?.(options);
    if (failure !== undefined) throw failure;
    const pictures = options.targets.map((target) => picture(options.units.at(-1), target));
    this.made.push(...pictures);
    return pictures;
  }

  openVideoDecoder(): never {
    throw new Error("no decoder is scripted");
  }

  openVideoEncoder(): undefined {
    return undefined;
  }

  openSoundTranscoder(): never {
    throw new Error("no sound is scripted");
  }

  openMotionWatch(zones: readonly WatchedZone[]): MotionWatch {
    return motionWatch(zones);
  }

  openRegionMotion(zones: readonly WatchedZone[]): RegionMotion {
    return regionMotion(zones);
  }
}

function picture(unit: CodedUnit | undefined, target: PictureTarget): Picture {
  const lying = target.rotation === 90 || target.rotation === 270;
  const [sourceWidth, sourceHeight] = lying
    ? [SCRIPTED_HEIGHT, SCRIPTED_WIDTH]
    : [SCRIPTED_WIDTH, SCRIPTED_HEIGHT];
  const width = Math.min(
    target.width ?? followed(target.height, sourceWidth / sourceHeight) ?? sourceWidth,
    sourceWidth,
  );
  const height = Math.min(
    target.height ?? followed(target.width, sourceHeight / sourceWidth) ?? sourceHeight,
    sourceHeight,
  );
  const timeUs = (unit?.decodeTimeUs ?? 0) + (unit?.presentationOffsetUs ?? 0);
  const data = new Uint8Array(width * height * 3).fill(greyOf(frameNumber(unit)));
  return { form: "rgb", width, height, timeUs, damaged: false, sourceWidth, sourceHeight, data };
}

/** The grey of a frame's picture. */
export function greyOf(frame: number): number {
  return (frame * 3) % 256;
}

function followed(side: number | undefined, ratio: number): number | undefined {
  return side === undefined ? undefined : Math.round(side * ratio);
}
