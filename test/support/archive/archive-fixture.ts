import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Archive,
  type ArchivedFrame,
  type ArchiveOptions,
  type ArchiveReader,
} from "../../../src/archive/index.js";
import { createLog, newGuid, type StreamKey, SystemClock } from "../../../src/base/index.js";
import { type AudioFormat, Codec, type VideoFormat } from "../../../src/live/codec/codec.js";
import { Frame, type FrameFields, Slab } from "../../../src/live/index.js";
import { PATIENCE_MS } from "../base/patience.js";
import { until as untilHolds } from "../base/until.js";
import { MemorySegmentIndex } from "./memory-segment-index.js";
import { REAL_DISK, threadsOnDisk } from "./volume-threads.js";

export const VIDEO: VideoFormat = {
  codec: Codec.H264,
  width: 1920,
  height: 1080,
  initialization: Uint8Array.from([0, 0, 0, 1, 0x67, 1, 2, 3, 0, 0, 0, 1, 0x68, 4, 5]),
};
export const AUDIO: AudioFormat = {
  codec: Codec.PCMU,
  sampleRate: 8000,
  channels: 1,
  initialization: new Uint8Array(0),
};
export const SILENT_LOG = createLog({ level: process.env.TEST_LOG === undefined ? "silent" : "debug" });

/** A directory of its own under the system's temporary one. */
export function temporaryDirectory(parent = tmpdir()): {
  readonly path: string;
  readonly remove: () => void;
} {
  const path = mkdtempSync(join(parent, "nvrd-archive-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

export function newStreamKey(): StreamKey {
  return { channelId: newGuid(), streamType: "Main" };
}

export interface TestArchive {
  readonly archive: Archive;
  readonly index: MemorySegmentIndex;
  readonly directory: string;
  readonly volumePath: string;
}

/**
 * An archive with one volume under `directory`, on the real disk and the real clock, with quick ticks. The work of its
 * volumes' threads is done in this one, as starting three threads takes longer than most tests; a test that is about
 * threads passes `startThread`. On the real clock it waits for its volumes, however slowly they start.
 */
export async function startArchive(
  directory: string,
  options: Partial<ArchiveOptions> & { index?: MemorySegmentIndex } = {},
): Promise<TestArchive> {
  const index = options.index ?? new MemorySegmentIndex();
  const volumePath = options.volumes?.[0]?.path ?? join(directory, "volume");
  const { clock = new SystemClock() } = options;
  const archive = new Archive({
    dataDir: join(directory, "data"),
    volumes: [{ path: volumePath }],
    ...(clock instanceof SystemClock ? { startWaitMs: PATIENCE_MS } : {}),
    clock,
    log: SILENT_LOG,
    tickMs: 10,
    syncIntervalMs: 30,
    startThread: threadsOnDisk(REAL_DISK),
    ...options,
    index,
  });
  await archive.start();
  return { archive, index, directory, volumePath };
}

/** Bytes that differ from frame to frame, so that a mixed-up range shows. */
export function patternBytes(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = (seed * 2654435761 + 12345) >>> 0;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

/** The machine's clock, whose monotonic time a test can put forward. */
export class SkippingClock extends SystemClock {
  #skippedUs = 0;
  #heldUs = 0;

  skip(seconds: number): void {
    this.#skippedUs += seconds * 1_000_000;
  }

  /** As if something had held the main thread for so long. */
  hold(seconds: number): void {
    this.#heldUs += seconds * 1_000_000;
    this.skip(seconds);
  }

  override monotonicUs(): number {
    return super.monotonicUs() + this.#skippedUs;
  }

  override heldUs(): number {
    return super.heldUs() + this.#heldUs;
  }
}

let nextSlabId = 1_000_000;
/** Slabs whose last lease came back. */
export const idleSlabs = new Set<number>();

export type FrameSpec = Partial<Omit<FrameFields, "ranges">> & {
  readonly decodeTimeUs: number;
  readonly bytes: Uint8Array;
  /** Where the bytes lie: in a slab, in memory of their own, or one part here and one there. */
  readonly memory?: "slab" | "own" | "both";
};

/** A frame with one lease, as a source publishes it. */
export function makeFrame(spec: FrameSpec): Frame {
  const { bytes, memory = "slab" } = spec;
  const cut = memory === "both" ? Math.floor(bytes.length / 3) : memory === "own" ? bytes.length : 0;
  const slab = new Slab(nextSlabId++, bytes.length - cut + 16, (idle) => idleSlabs.add(idle.id));
  slab.retain();
  slab.bytes.set(bytes.subarray(cut), 7);
  const ranges = [
    ...(cut > 0 ? [{ slab: undefined, bytes: bytes.slice(0, cut) }] : []),
    ...(cut < bytes.length ? [{ slab, bytes: slab.bytes.subarray(7, 7 + bytes.length - cut) }] : []),
  ];
  const frame = new Frame({
    format: spec.format ?? VIDEO,
    decodeTimeUs: spec.decodeTimeUs,
    presentationOffsetUs: spec.presentationOffsetUs ?? 0,
    key: spec.key ?? false,
    damaged: spec.damaged ?? false,
    undecodable: spec.undecodable ?? false,
    discontinuity: spec.discontinuity ?? false,
    ranges,
  });
  slab.release();
  return frame;
}

/** Hands a frame over as a LiveStream does: leased during the call only. */
export function append(writer: { append(frame: Frame): void }, spec: FrameSpec): void {
  const frame = makeFrame(spec);
  writer.append(frame);
  frame.release();
}

/** A frame read back, its bytes copied. */
export type ReadFrame = Omit<ArchivedFrame, "bytes"> & { readonly bytes: Buffer };

/** Reads until `count` frames are there. */
export async function readFrames(reader: ArchiveReader, count: number): Promise<ReadFrame[]> {
  const frames: ReadFrame[] = [];
  while (frames.length < count) {
    const some = await reader.next();
    if (some.length === 0) break;
    for (const frame of some) frames.push({ ...frame, bytes: Buffer.from(frame.bytes) });
  }
  return frames;
}

export async function until(condition: () => boolean, what: string, seen?: () => unknown): Promise<void> {
  await untilHolds(what, condition, seen === undefined ? {} : { seen });
}
