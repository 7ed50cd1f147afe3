/** The state of a disk, as far as its own figures show it. */
export type DiskVerdict =
  /** It reports no fault. */
  | "good"
  /** It works, and is near the end of its rated life. */
  | "worn"
  /** It has lost sectors or reports that it will fail: replace it. */
  | "failing"
  /** It was not asked yet, does not answer, or has no SMART. */
  | "unknown";

/** A disk's own figures (SMART); null where its kind has no such figure. */
export interface DiskSmart {
  /** When it was read, Unix ms. */
  readonly readMs: number;
  /** The disk's own overall assessment. */
  readonly passed: boolean | null;
  readonly temperatureCelsius: number | null;
  readonly powerOnHours: number | null;
  /** Bytes that were written to it in its life. */
  readonly bytesWritten: number | null;
  /** ATA attribute 5. */
  readonly reallocatedSectors: number | null;
  /** ATA attribute 187; media errors of NVMe; uncorrected errors of SCSI. */
  readonly uncorrectableErrors: number | null;
  /** ATA attribute 188. */
  readonly commandTimeouts: number | null;
  /** ATA attribute 197. */
  readonly pendingSectors: number | null;
  /** ATA attribute 198. */
  readonly offlineUncorrectable: number | null;
  /** NVMe, or an SSD's own figure: share of the rated life that is used, percent; may exceed 100. */
  readonly percentageUsed: number | null;
  /** NVMe: what is left of the spare blocks, percent. */
  readonly availableSparePercent: number | null;
  /** NVMe critical warnings, in plain words. */
  readonly criticalWarnings: readonly string[];
}

/** One physical disk of the machine, as last looked at. */
export interface DiskState {
  /** Device node: `/dev/sda`, `/dev/nvme0n1`. */
  readonly device: string;
  readonly model: string;
  readonly serial: string;
  readonly firmware: string;
  readonly bytes: number;
  readonly kind: "ata" | "scsi" | "nvme" | "other";
  readonly isRotational: boolean | null;
  /** It sleeps, and was not woken: its SMART is from an earlier reading. */
  readonly isAsleep: boolean;
  /** Directories of the volumes that lie on it. */
  readonly volumes: readonly string[];
  readonly verdict: DiskVerdict;
  /** The summary for the owner, one sentence. */
  readonly summary: string;
  /** Undefined until it was read. */
  readonly smart: DiskSmart | undefined;
}

/** The machine's disks, from memory. */
export interface DiskStates {
  /** Undefined until they have been looked at. */
  readonly disks: readonly DiskState[] | undefined;
  /** Why the disks or their SMART are not known; undefined when all is well. */
  readonly problem: string | undefined;
}
