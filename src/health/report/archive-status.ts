/**
 * The status of the archive for monitors. Null: not known yet, or, for SMART, not reported by any disk.
 */
export interface ArchiveStatus {
  /** Megabytes (10^6 bytes) of recordings on the volumes that are there. */
  readonly sizeMb: number | null;
  /** Megabits (10^6) a second handed to the disks in the last two minutes. */
  readonly writeMbitPerSecond: number | null;
  /** Recorded time, without gaps, of the stream that has most of it; days of 24 hours. */
  readonly depthDays: number | null;
  readonly errors: ArchiveErrors;
}

/** True: there is such an error. docs/ref/api.md says what sets and what clears each. */
export interface ArchiveErrors {
  /** The index or the event log cannot be written or opened. */
  readonly database: boolean | null;
  /** Frames are lost, or were in the last five minutes. */
  readonly frameSaving: boolean | null;
  /** A volume of the settings cannot be used, or a disk that is recorded onto is failing. */
  readonly drives: boolean | null;
  /** Only key frames of a stream are kept, or were in the last five minutes. */
  readonly thinning: boolean | null;
  /** A disk reports that it is failing, by its figures or explicitly. Null: no disk reports anything. */
  readonly smart: boolean | null;
}

/** The status before the first check. */
export const ARCHIVE_STATUS_UNKNOWN: ArchiveStatus = {
  sizeMb: null,
  writeMbitPerSecond: null,
  depthDays: null,
  errors: { database: null, frameSaving: null, drives: null, thinning: null, smart: null },
};

/** True when any error is there, null when nothing is known of any. */
export function hasArchiveError(errors: ArchiveErrors): boolean | null {
  const known = Object.values(errors).filter((error) => error !== null);
  return known.length === 0 ? null : known.includes(true);
}
