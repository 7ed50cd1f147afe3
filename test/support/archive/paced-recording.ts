import { readFileSync } from "node:fs";
import type { VideoPart } from "../http/multipart-reader.js";
import { h264AccessUnits, isH264ParameterSet, splitNalUnits } from "../media/nal-units.js";
import { type PacedClock, pacedClockOf } from "../service/paced-source.js";
import type { VideoAnswer } from "../service/service.js";

/** A video part of a paced stream and the clock it carries. */
export interface PacedFrame {
  readonly part: VideoPart;
  readonly clock: PacedClock;
}

/** Reads parts until `enough` says so (it sees each frame); the answer stays open. */
export async function pacedFrames(
  parts: AsyncGenerator<VideoPart>,
  enough: (frame: PacedFrame, count: number) => boolean,
): Promise<PacedFrame[]> {
  const frames: PacedFrame[] = [];
  for (;;) {
    const { value: part, done } = await parts.next();
    if (done === true) throw new Error(`the answer ended after ${frames.length} frames`);
    if (!part.contentType.startsWith("video, h264, ")) throw new Error(`unexpected part ${part.contentType}`);
    const clock = pacedClockOf(part.body);
    if (clock === undefined) throw new Error("a frame without the source's clock");
    const frame = { part, clock };
    frames.push(frame);
    if (enough(frame, frames.length)) return frames;
  }
}

/** Reads parts until `enough` says so, then leaves the answer. */
export async function readPacedFrames(
  video: VideoAnswer,
  enough: (frame: PacedFrame, count: number) => boolean,
): Promise<PacedFrame[]> {
  try {
    return await pacedFrames(video.parts, enough);
  } finally {
    video.close();
  }
}

/** What a paced clip's frames must look like: the NAL units of each access unit, parameter sets aside. */
export class PacedClip {
  readonly #accessUnits: readonly (readonly Buffer[])[];

  constructor(clipFile: string) {
    const accessUnits = h264AccessUnits(splitNalUnits(readFileSync(clipFile)));
    this.#accessUnits = accessUnits.map((units) => units.filter((unit) => !isH264ParameterSet(unit)));
  }

  /** Whether all of a frame that the source sent is in these bytes, however it is packed. */
  isIn(media: Buffer, frame: number): boolean {
    const units = this.#accessUnits[frame % this.#accessUnits.length] ?? [];
    return units.every((unit) => media.includes(unit));
  }

  /** Where a frame differs from what the source sent; undefined when it is the same, byte for byte. */
  differenceOf({ part, clock }: PacedFrame): string | undefined {
    const sent = this.#accessUnits[clock.frame % this.#accessUnits.length] ?? [];
    const units = splitNalUnits(part.body);
    const received = units.filter((unit) => !isH264ParameterSet(unit) && pacedClockOf(unit) === undefined);
    const key = sent.some((unit) => ((unit[0] ?? 0) & 31) === 5);
    if (part.contentType.endsWith("I-frame") !== key)
      return `frame ${clock.frame}: sent as ${part.contentType}`;
    if (key && !units.some(isH264ParameterSet))
      return `frame ${clock.frame}: key frame without parameter sets`;
    if (
      received.length === sent.length &&
      received.every((unit, at) => unit.equals(sent[at] ?? Buffer.alloc(0)))
    ) {
      return undefined;
    }
    return `frame ${clock.frame}: ${received.map((unit) => unit.length)} bytes for ${sent.map((unit) => unit.length)}`;
  }

  /** Differences of all frames, and every place where the frame numbers do not follow one another. */
  differencesOf(frames: readonly PacedFrame[]): string[] {
    const differences = frames.map((frame) => this.differenceOf(frame)).filter((text) => text !== undefined);
    for (const [at, frame] of frames.entries()) {
      const before = frames[at - 1];
      if (before !== undefined && frame.clock.frame !== before.clock.frame + 1) {
        differences.push(`frame ${frame.clock.frame} follows ${before.clock.frame}`);
      }
    }
    return differences;
  }
}

/** The frames' bytes as one elementary stream. */
export function elementaryStream(frames: readonly PacedFrame[]): Buffer {
  return Buffer.concat(frames.map((frame) => frame.part.body));
}
