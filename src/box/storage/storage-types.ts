import type { MoveState } from "../../archive/index.js";
import type { Guid } from "../../base/index.js";
import type { DiskState } from "../../health/index.js";
import type { FoundContent } from "./disk-contents.js";

/** A volume, as shown to the administrator. */
export interface StoredVolume {
  readonly directory: string;
  /** Undefined if no volume has been accepted yet. */
  readonly volumeId: Guid | undefined;
  /** A retired volume may be absent. */
  readonly state: "in use" | "retired" | "left out";
  /** Why it cannot be used now; empty if it can. */
  readonly reason: string;
  readonly totalBytes: number | undefined;
  readonly freeBytes: number | undefined;
  /** Bytes of recordings. */
  readonly usedBytes: number | undefined;
  /** Bytes of recordings that it may hold. */
  readonly allowedBytes: number | undefined;
  /** When a retired volume will hold no recordings any more; undefined where that is not known, or never. */
  readonly emptyUs: number | undefined;
  /** Bytes written in a year at the present rate. */
  readonly projectedYearBytes: number | undefined;
  /** The drive's workload rating, terabytes (10^12) a year, where the settings have it. */
  readonly workloadTbPerYear: number | undefined;
}

/** A disk of the machine with its contents. */
export interface StorageDisk {
  readonly device: string;
  readonly model: string;
  /** The user has to repeat it to format the disk; empty for a disk without one. */
  readonly serial: string;
  readonly bytes: number;
  readonly isRotational: boolean | null;
  /** The machine runs from it, or nvrd's data directory is on it; it is never formatted. */
  readonly isSystemDisk: boolean;
  /** Its health; undefined until it was read. */
  readonly health: DiskState | undefined;
  readonly contents: readonly FoundContent[];
  readonly volumes: readonly StoredVolume[];
}

/** The current or last operation on a disk. */
export interface StorageWork {
  readonly action: "format" | "replace";
  readonly device: string;
  readonly by: StorageUser;
  readonly state: "running" | "done" | "failed";
  /** The current step, as text. */
  readonly step: string;
  readonly startedUs: number;
  readonly endedUs: number | undefined;
  /** Why it failed, or what remains to be done; undefined on success. */
  readonly problem: string | undefined;
  /** The directory of the new volume; undefined until there is one. */
  readonly directory: string | undefined;
}

export interface StorageList {
  readonly disks: readonly StorageDisk[];
  /** Volumes on no visible disk of this machine: absent, or on the network. */
  readonly otherVolumes: readonly StoredVolume[];
  readonly work: StorageWork | undefined;
  /** Why the health of the disks is unknown; undefined if it is known. */
  readonly problem: string | undefined;
}

/** Who requested it; undefined for the command line. */
export type StorageUser = { readonly id: Guid; readonly name: string } | undefined;

/** What was done, for the event log. */
export interface StorageAct {
  readonly kind: "formatted" | "adopted" | "retired" | "called back" | "forgotten" | "moving" | "moved";
  readonly comment: string;
  readonly by: StorageUser;
}

/** A disk to be formatted, with the user's confirmation. */
export interface FormatRequest {
  readonly device: string;
  readonly serial: string;
  /** The serial number repeated; the device name for a disk without one. */
  readonly confirm: string;
  readonly eraseFound: boolean;
}

/** Management of the disks; see `Storage`. */
export interface StorageControl {
  /** The current or last operation on a disk. */
  readonly work: StorageWork | undefined;
  list(): Promise<StorageList>;
  format(request: FormatRequest, by: StorageUser): Promise<StorageWork>;
  replace(directory: string, request: FormatRequest, by: StorageUser): Promise<StorageWork>;
  adopt(directory: string, confirm: string | undefined, by: StorageUser): Promise<Guid>;
  retire(directory: string, retired: boolean, by: StorageUser): Promise<void>;
  forget(directory: string, confirm: string, by: StorageUser): Promise<void>;
  /** The move of recordings that is under way, or the last one. */
  readonly move: MoveState | undefined;
  beginMove(directory: string, by: StorageUser): Promise<MoveState>;
  cancelMove(): void;
}
