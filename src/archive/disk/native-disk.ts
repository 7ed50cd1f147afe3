import { loadNativeAddon } from "../../base/index.js";

/** Acts on `length` bytes of an open file from `offset`; returns "" or the name of the error. */
type RangeCall = (fd: number, offset: number, length: number) => string;

/**
 * Calls on open files that Node does not offer. All are advice: where one is missing, recording continues
 * without it.
 */
export interface NativeDisk {
  /** fallocate(2) with KEEP_SIZE: reserves space without changing the file's length. */
  readonly fallocate: RangeCall;
  /** fallocate(2) with PUNCH_HOLE and KEEP_SIZE: gives space back. */
  readonly punchHole: RangeCall;
  /** posix_fadvise(2) DONTNEED: drops clean pages. */
  readonly dontNeed: RangeCall;
  /** posix_fadvise(2) WILLNEED: starts to read into the page cache and does not wait. */
  readonly willNeed: RangeCall;
  /** sync_file_range(2) WRITE: starts write-back and does not wait. */
  readonly startWriteback: RangeCall;
}

/** As a length: up to the end of the file (posix_fadvise(2)). */
export const TO_THE_END = 0;
/** Newest bytes of each segment that stay in the page cache for readers at the live edge (native/volume/segment_syncs.cc keeps as many). */
export const CACHED_BYTES_PER_SEGMENT = 2 * 1024 * 1024;

/** The result of a call that this machine does not support. */
export const NATIVE_MISSING = "ENOSYS";

const MISSING: NativeDisk = {
  fallocate: () => NATIVE_MISSING,
  punchHole: () => NATIVE_MISSING,
  dontNeed: () => NATIVE_MISSING,
  willNeed: () => NATIVE_MISSING,
  startWriteback: () => NATIVE_MISSING,
};

/** The addon's calls; where it is not there, calls that answer ENOSYS, and the reason. */
export function loadNativeDisk(): { readonly disk: NativeDisk; readonly missing: string | undefined } {
  const { functions, missing } = loadNativeAddon();
  if (missing !== undefined) return { disk: MISSING, missing };
  return isNativeDisk(functions) ? { disk: functions, missing } : { disk: MISSING, missing: "too old" };
}

function isNativeDisk(functions: unknown): functions is NativeDisk {
  const members = functions as Record<string, unknown>;
  return Object.keys(MISSING).every((name) => typeof members[name] === "function");
}
