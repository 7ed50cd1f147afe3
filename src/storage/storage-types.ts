import type { Guid } from "../base/index.js";
import type { DiskState } from "../health/index.js";
import type { FoundContent } from "./disk-contents.js";

/** A volume, for its owner. */
export interface StoredVolume {
  readonly directory: string;
  /** Undefined where none was taken yet. */
  readonly volumeId: Guid | undefined;
  /** A retired one may be away. */
  readonly state: "in use" | "retired" | "left out";
  /** Why it cannot be used now; empty while it can. */
  readonly reason: string;
  readonly totalBytes: number | undefined;
  readonly freeBytes: number | undefined;
  /** Bytes of recordings. */
  readonly usedBytes: number | undefined;
  /** Until the oldest recordings must be deleted; undefined if that is not known or nothing is written. */
  readonly daysLeft: number | undefined;
}

/** A disk of the machine with what lies on it. */
export interface StorageDisk {
  readonly device: string;
  readonly model: string;
  /** The user has to repeat it to format the disk; empty for a disk without one. */
  readonly serial: string;
  readonly bytes: number;
  readonly isRotational: boolean | null;
  /** The machine runs from it, or nvrd keeps its own data there: it is never formatted. */
  readonly isSystemDisk: boolean;
  /** How it is; undefined until it was looked at. */
  readonly health: DiskState | undefined;
  readonly contents: readonly FoundContent[];
  readonly volumes: readonly StoredVolume[];
}

/** The present or last work on a disk. */
export interface StorageWork {
  readonly action: "format" | "replace";
  readonly device: string;
  readonly state: "running" | "done" | "failed";
  /** What is being done now, in words. */
  readonly step: string;
  readonly startedUs: number;
  readonly endedUs: number | undefined;
  /** Why it failed, or what is left to do; undefined when all is well. */
  readonly problem: string | undefined;
  /** Where the new volume is; undefined until there is one. */
  readonly directory: string | undefined;
}

export interface StorageList {
  readonly disks: readonly StorageDisk[];
  /** Those on no disk of this machine that can be seen: away, or on the network. */
  readonly otherVolumes: readonly StoredVolume[];
  readonly work: StorageWork | undefined;
  /** Why the state of the disks is not known; undefined when it is. */
  readonly problem: string | undefined;
}

/** Who asked for it; undefined for the command line of the machine. */
export type StorageUser = { readonly id: Guid; readonly name: string } | undefined;

/** What was done, for the event log. */
export interface StorageAct {
  readonly kind: "formatted" | "adopted" | "retired" | "called back" | "forgotten";
  readonly comment: string;
  readonly by: StorageUser;
}

/** A disk to be formatted, with what the person has confirmed. */
export interface FormatRequest {
  readonly device: string;
  readonly serial: string;
  /** The serial number once more; the device name for a disk without one. */
  readonly confirm: string;
  readonly eraseFound: boolean;
}

/** Management of the disks; see `Storage`. */
export interface StorageControl {
  list(): Promise<StorageList>;
  format(request: FormatRequest, by: StorageUser): Promise<StorageWork>;
  replace(directory: string, request: FormatRequest, by: StorageUser): Promise<StorageWork>;
  adopt(directory: string, confirm: string | undefined, by: StorageUser): Promise<Guid>;
  retire(directory: string, retired: boolean, by: StorageUser): Promise<void>;
  forget(directory: string, confirm: string, by: StorageUser): Promise<void>;
}
