import { BOX_HEADER_BYTES, writeU64 } from "./box.js";

/** One sample of a track, in decode order. Times in the track's ticks. */
export interface Sample {
  readonly bytes: number;
  readonly durationTicks: number;
  /** Presentation minus decode time; 0 without B-frames. */
  readonly compositionTicks: number;
  /** Video: a key frame. Audio: always true. */
  readonly sync: boolean;
}

/** The samples of one track in a fragment. */
export interface TrackRun {
  readonly trackId: number;
  /** Decode time of the first sample, 0 to 2^53 - 1. */
  readonly decodeTicks: number;
  /** Index of the sample entry in the track, from 1 on; default 1. */
  readonly description?: number;
  readonly samples: readonly Sample[];
}

const FULL_BOX_BYTES = 12;
const MFHD_BYTES = FULL_BOX_BYTES + 4;
const TFHD_BYTES = FULL_BOX_BYTES + 8;
const TFDT_BYTES = FULL_BOX_BYTES + 8;
const TRUN_FIXED_BYTES = FULL_BOX_BYTES + 8;
const SAMPLE_BYTES = 16;

/** Bytes of a `moof` for each track's run, without its samples. */
export const FRAGMENT_RUN_BYTES = BOX_HEADER_BYTES + TFHD_BYTES + TFDT_BYTES + TRUN_FIXED_BYTES;
/** Bytes of a `moof` and the header of its `mdat`, without the runs. */
export const FRAGMENT_FIXED_BYTES = BOX_HEADER_BYTES + MFHD_BYTES + BOX_HEADER_BYTES;
/** Bytes of a `moof` per sample. */
export const FRAGMENT_SAMPLE_BYTES = SAMPLE_BYTES;

const DEFAULT_BASE_IS_MOOF = 0x2_0000;
const SAMPLE_DESCRIPTION_PRESENT = 0x2;
/** Data offset; duration, size, flags and composition offset of each sample. */
const RUN_FLAGS = 0x1 | 0x100 | 0x200 | 0x400 | 0x800;
/** sample_depends_on 2: on no other. */
const SYNC_SAMPLE = 0x0200_0000;
/** sample_depends_on 1, sample_is_non_sync_sample. */
const NON_SYNC_SAMPLE = 0x0101_0000;
const U32_MAX = 0xffff_ffff;

/** Length of `fragmentHead` for runs of these numbers of samples. */
export function fragmentHeadBytes(sampleCounts: readonly number[]): number {
  return sampleCounts.reduce(
    (sum, count) => sum + FRAGMENT_RUN_BYTES + count * SAMPLE_BYTES,
    FRAGMENT_FIXED_BYTES,
  );
}

/**
 * A `moof` and the first eight bytes of its `mdat` (ISO/IEC 14496-12, 8.8.4 to 8.8.8, 8.8.12, 8.1.1). The samples' bytes
 * follow, run by run in the order of `runs`. `sequence` rises from fragment to fragment. A run without samples is allowed.
 * Throws RangeError for 4 GiB of samples and more.
 */
export function fragmentHead(fragment: {
  readonly sequence: number;
  readonly runs: readonly TrackRun[];
}): Buffer {
  const { sequence, runs } = fragment;
  const bytes = Buffer.alloc(fragmentHeadBytes(runs.map(({ samples }) => samples.length)));
  const moofBytes = bytes.length - BOX_HEADER_BYTES;
  let at = writeBoxHeader(bytes, 0, "moof", moofBytes);
  at = writeFullHeader(bytes, at, { type: "mfhd", size: MFHD_BYTES, versionAndFlags: 0 });
  at = bytes.writeUInt32BE(sequence % (U32_MAX + 1), at);
  let dataOffset = bytes.length;
  for (const run of runs) {
    at = writeRun(bytes, at, run, dataOffset);
    for (const sample of run.samples) dataOffset += sample.bytes;
  }
  const mediaBytes = BOX_HEADER_BYTES + dataOffset - bytes.length;
  if (mediaBytes > U32_MAX) throw new RangeError(`fragment of ${mediaBytes} bytes`);
  writeBoxHeader(bytes, at, "mdat", mediaBytes);
  return bytes;
}

function writeRun(bytes: Buffer, start: number, run: TrackRun, dataOffset: number): number {
  const { samples } = run;
  const runBytes = FRAGMENT_RUN_BYTES + samples.length * SAMPLE_BYTES;
  let at = writeBoxHeader(bytes, start, "traf", runBytes);
  const tfhdFlags = DEFAULT_BASE_IS_MOOF | SAMPLE_DESCRIPTION_PRESENT;
  at = writeFullHeader(bytes, at, { type: "tfhd", size: TFHD_BYTES, versionAndFlags: tfhdFlags });
  at = bytes.writeUInt32BE(run.trackId, at);
  at = bytes.writeUInt32BE(run.description ?? 1, at);
  at = writeFullHeader(bytes, at, { type: "tfdt", size: TFDT_BYTES, versionAndFlags: 0x100_0000 });
  writeU64(bytes, run.decodeTicks, at);
  at += 8;
  const size = TRUN_FIXED_BYTES + samples.length * SAMPLE_BYTES;
  at = writeFullHeader(bytes, at, { type: "trun", size, versionAndFlags: RUN_FLAGS });
  at = bytes.writeUInt32BE(samples.length, at);
  at = bytes.writeInt32BE(dataOffset, at);
  for (const sample of samples) {
    at = bytes.writeUInt32BE(Math.min(sample.durationTicks, U32_MAX), at);
    at = bytes.writeUInt32BE(sample.bytes, at);
    at = bytes.writeUInt32BE(sample.sync ? SYNC_SAMPLE : NON_SYNC_SAMPLE, at);
    at = bytes.writeUInt32BE(Math.min(sample.compositionTicks, U32_MAX), at);
  }
  return at;
}

function writeBoxHeader(bytes: Buffer, at: number, type: string, size: number): number {
  bytes.writeUInt32BE(size, at);
  bytes.write(type, at + 4, "latin1");
  return at + BOX_HEADER_BYTES;
}

function writeFullHeader(
  bytes: Buffer,
  at: number,
  header: { readonly type: string; readonly size: number; readonly versionAndFlags: number },
): number {
  writeBoxHeader(bytes, at, header.type, header.size);
  return bytes.writeUInt32BE(header.versionAndFlags, at + BOX_HEADER_BYTES);
}
