import type { DiskSmart, DiskState } from "./disk-state.js";

/** One reading of a disk's SMART, with what a verdict needs beside the figures that are shown. */
export interface SmartReading extends DiskSmart {
  /** NVMe: below so many percent of spare blocks the drive warns. */
  readonly availableSpareThresholdPercent: number | null;
  /** Attributes that are at or below their maker's threshold now and foretell a failure by it. */
  readonly failedAttributes: readonly string[];
  /** The newest self-test that ended found a fault; null where none ended or there is no log. */
  readonly selfTestFailed: boolean | null;
}

/** What a disk calls itself. */
export interface DiskIdentity {
  readonly model: string;
  readonly serial: string;
  readonly firmware: string;
  /** Null where it does not say. */
  readonly bytes: number | null;
  readonly kind: DiskState["kind"];
  readonly isRotational: boolean | null;
}

/** The figures of one kind of disk; those that all kinds have are read in one place. */
export type KindFigures = Omit<SmartReading, "readMs" | "passed" | "temperatureCelsius" | "powerOnHours">;

/** None of it known. */
export const NO_FIGURES: KindFigures = {
  bytesWritten: null,
  reallocatedSectors: null,
  uncorrectableErrors: null,
  commandTimeouts: null,
  pendingSectors: null,
  offlineUncorrectable: null,
  percentageUsed: null,
  availableSparePercent: null,
  criticalWarnings: [],
  availableSpareThresholdPercent: null,
  failedAttributes: [],
  selfTestFailed: null,
};

/** Text of a disk as it may stand in a log line: printable characters of ASCII, single blanks. */
export function printable(text: string | undefined): string {
  return (text ?? "")
    .replace(/[^\x20-\x7e]/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}
