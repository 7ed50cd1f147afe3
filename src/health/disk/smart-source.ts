import type { BlockDisk } from "./block-disks.js";
import type { DiskIdentity, SmartReading } from "./smart-types.js";

/** What is known of one disk's SMART. */
export interface SmartKnowledge {
  /** It slept when it was last asked. */
  readonly isAsleep: boolean;
  /** Why the newest request failed; undefined if it succeeded. */
  readonly problem: string | undefined;
  /** What the disk calls itself; undefined until it was read. */
  readonly identity: DiskIdentity | undefined;
  /** The newest reading; undefined until there is one. */
  readonly reading: SmartReading | undefined;
  /** When it was read, monotonic µs. */
  readonly readUs: number | undefined;
}

/** Where readings come from. */
export interface SmartSource {
  /** Why there are none at all; undefined if there are. */
  readonly problem: string | undefined;
  /** Updates the readings. Resolves when that is done, which a hung disk delays; never rejects. */
  refresh(disks: readonly BlockDisk[]): Promise<void>;
  /** Undefined before the first answer of that disk. */
  of(disk: BlockDisk): SmartKnowledge | undefined;
}

/** Whether two checks saw the same disk under one name. */
export function isSameDisk(one: BlockDisk, other: BlockDisk): boolean {
  return one.device === other.device && one.serial === other.serial && one.bytes === other.bytes;
}

/** For a process that may not ask disks. */
export function noSmart(problem: string): SmartSource {
  return { problem, refresh: async () => undefined, of: () => undefined };
}
