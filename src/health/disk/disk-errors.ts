import type { DiskStates } from "./disk-state.js";

/** What the disks add to the archive's errors. */
export interface DiskErrors {
  /** A disk is failing; null until one has told how it is. */
  readonly smart: boolean | null;
  /** A disk that is recorded onto is failing. */
  readonly drives: boolean;
}

/** A worn disk is no error: it works. */
export function diskErrors({ disks = [] }: DiskStates): DiskErrors {
  const failing = disks.filter(({ verdict }) => verdict === "failing");
  const isAnyKnown = disks.some(({ verdict }) => verdict !== "unknown");
  return {
    smart: isAnyKnown ? failing.length > 0 : null,
    drives: failing.some(({ volumes }) => volumes.length > 0),
  };
}
