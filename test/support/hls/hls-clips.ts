import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ArchivedFrame } from "../../../src/archive/index.js";
import type { AudioFormat } from "../../../src/live/codec/codec.js";
import { DecodeTimeline, Frame } from "../../../src/live/index.js";
import { FRAME_US, NINE_US } from "../api/api-frames.js";
import type { CodedClip } from "../media/coded-clip.js";

const run = promisify(execFile);
/** ffmpeg reads the init segment again with each playlist, and says so. */
const REPEATED_INIT = /^.*Found duplicated MOOV Atom\. Skipped it\n(?: *Last message repeated .*\n)?/gm;
const FFMPEG_MS_MAX = 45_000;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** Of libx264 and libx265 with their B-frames. */
const REORDER_DEPTH = 2;

/** Where a clip lies in time, and what is cut out of it. */
export interface ClipPlace {
  /** Decode time of its first picture. */
  readonly fromUs?: number;
  /** Its first picture follows a gap. */
  readonly gap?: boolean;
}

/** A clip's pictures as a camera's source publishes them. */
export function clipFrames(clip: CodedClip, { fromUs = NINE_US, gap = false }: ClipPlace = {}): Frame[] {
  const timeline = new DecodeTimeline(REORDER_DEPTH);
  const shown = clip.units.map(
    ({ decodeTimeUs, presentationOffsetUs }) => decodeTimeUs + presentationOffsetUs,
  );
  // What it returns is reused for the next picture.
  const times = clip.units.map(({ key }, index) => ({ ...timeline.next(shown[index] ?? 0, key) }));
  const first = times[0]?.decodeUs ?? 0;
  return clip.units.map((unit, index) => {
    const { key } = unit;
    const { decodeUs = 0, presentationOffsetUs = 0 } = times[index] ?? {};
    return new Frame({
      format: clip.format,
      decodeTimeUs: fromUs + decodeUs - first,
      presentationOffsetUs,
      key,
      damaged: false,
      undecodable: false,
      discontinuity: gap && index === 0,
      ranges: unit.bytes.map((bytes) => ({ slab: undefined, bytes })),
    });
  });
}

/** The same as they are recorded: the first begins a fragment. */
export function recordedClip(clip: CodedClip, place: ClipPlace = {}): ArchivedFrame[] {
  return clipFrames(clip, place).map((frame, index) => archived(frame, index === 0));
}

export function archived(frame: Frame, startsFragment = false): ArchivedFrame {
  const { format, decodeTimeUs, presentationOffsetUs, key } = frame;
  return {
    codec: format.codec,
    streamType: "Main",
    format,
    decodeTimeUs,
    presentationOffsetUs,
    key,
    damaged: false,
    undecodable: false,
    startsFragment,
    bytes: frame.copyBytes(),
  };
}

/** Sound that lasts `unitUs` a unit, as frames. */
export function soundFrames(
  format: AudioFormat,
  units: readonly Uint8Array[],
  { unitUs, fromUs = NINE_US }: { readonly unitUs: number; readonly fromUs?: number },
): Frame[] {
  return units.map(
    (bytes, index) =>
      new Frame({
        format,
        decodeTimeUs: Math.round(fromUs + index * unitUs),
        presentationOffsetUs: 0,
        key: true,
        damaged: false,
        undecodable: false,
        discontinuity: false,
        ranges: [{ slab: undefined, bytes }],
      }),
  );
}

/** Frames of several tracks in the order they come. */
export function inTime(...tracks: readonly (readonly Frame[])[]): Frame[] {
  return tracks.flat().sort((one, other) => one.decodeTimeUs - other.decodeTimeUs);
}

/** How long a clip of so many pictures lasts. */
export const clipUs = (pictures: number): number => pictures * FRAME_US;

/** MD5 of each of the first `count` pictures that ffmpeg decodes of an address or file, and what it complained of. */
export async function pictureHashes(
  input: string,
  count: number,
  flags: readonly string[] = [],
): Promise<{ readonly hashes: readonly string[]; readonly complaints: string }> {
  const source = ["-nostdin", "-v", "warning", "-threads", "1", ...flags, "-i", input];
  const output = ["-map", "0:v", "-frames:v", `${count}`, "-fps_mode", "passthrough", "-f", "framemd5", "-"];
  const { stdout, stderr } = await run("ffmpeg", [...source, ...output], {
    maxBuffer: OUTPUT_BYTES_MAX,
    timeout: FFMPEG_MS_MAX,
  });
  const lines = stdout.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return {
    hashes: lines.map((line) => line.split(",").at(-1)?.trim() ?? ""),
    complaints: stderr.replace(REPEATED_INIT, ""),
  };
}
