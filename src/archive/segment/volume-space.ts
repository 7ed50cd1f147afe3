import type { StatsFs } from "node:fs";

/** Room on a volume's file system. */
export interface VolumeSpace {
  readonly totalBytes: number;
  readonly freeBytes: number;
  /** Files that the file system has inodes for; absent where it sets no limit. */
  readonly files?: { readonly total: number; readonly free: number };
}

/** What statfs(2) says. A file system that sets no limit on files, as btrfs, counts 0 of them. */
export function spaceOf(
  stats: Pick<StatsFs, "blocks" | "bavail" | "bsize" | "files" | "ffree">,
): VolumeSpace {
  const { blocks, bavail, bsize, files, ffree } = stats;
  const bytes = { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
  return files > 0 ? { ...bytes, files: { total: files, free: Math.min(ffree, files) } } : bytes;
}
