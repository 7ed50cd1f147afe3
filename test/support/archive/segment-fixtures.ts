import type { GopEntry, OpenSegment, SegmentSummary } from "../../../src/archive/index.js";
import type { Guid, StreamKey } from "../../../src/base/index.js";

export const MINUTE_US = 60_000_000;
/** 2026-03-01T00:00:00Z. */
export const START_US = Date.UTC(2026, 2, 1) * 1000;

export function guidOfNumber(number: number, kind = 0): Guid {
  return `${kind.toString(16).padStart(8, "0")}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

export function streamOfNumber(number: number): StreamKey {
  return { channelId: guidOfNumber(number, 1), streamType: number % 2 === 0 ? "Main" : "Alternative" };
}

export const BOOT = guidOfNumber(1, 2);

export function volumeOfNumber(number: number): Guid {
  return guidOfNumber(number, 3);
}

export interface SegmentShape {
  readonly stream?: number;
  readonly volume?: number;
  readonly fragment?: number;
  readonly sequence?: number;
  readonly epoch?: number;
  readonly fromUs?: number;
  readonly durationUs?: number;
  readonly bytes?: number;
  readonly gopUs?: number;
  readonly segmentId?: number;
}

/** A segment of one minute with a key frame a second, unless told otherwise. */
export function segmentOf(shape: SegmentShape = {}): SegmentSummary {
  const fromUs = shape.fromUs ?? START_US;
  const toUs = fromUs + (shape.durationUs ?? MINUTE_US);
  const gopUs = shape.gopUs ?? 1_000_000;
  const gops: GopEntry[] = [];
  for (let timeUs = fromUs; timeUs < toUs; timeUs += gopUs) {
    gops.push({ decodeTimeUs: timeUs, offset: 256 + gops.length * 500_000, frames: 25, damaged: false });
  }
  return {
    volumeId: volumeOfNumber(shape.volume ?? 1),
    segmentId: shape.segmentId ?? fromUs + (shape.stream ?? 1),
    key: streamOfNumber(shape.stream ?? 1),
    fragmentId: guidOfNumber(shape.fragment ?? 1, 4),
    fragmentSequence: shape.sequence ?? 0,
    epoch: shape.epoch ?? 0,
    bootId: BOOT,
    fromUs,
    toUs,
    bytes: shape.bytes ?? 30_000_000,
    videoFrames: gops.length * 25,
    audioFrames: 0,
    gops,
  };
}

/** `count` segments of one fragment that follow each other. */
export function fragmentOf(count: number, shape: SegmentShape = {}): SegmentSummary[] {
  const durationUs = shape.durationUs ?? MINUTE_US;
  const fromUs = shape.fromUs ?? START_US;
  return Array.from({ length: count }, (_, sequence) =>
    segmentOf({ ...shape, sequence, fromUs: fromUs + sequence * durationUs }),
  );
}

export function openSegmentOf(shape: SegmentShape = {}): OpenSegment {
  const segment = segmentOf(shape);
  return { ...segment, readableBytes: segment.bytes };
}
