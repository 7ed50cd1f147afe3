import type { AnnouncedDisk } from "./announced-disks.js";
import type { DiskState } from "./disk-state.js";
import { diskName } from "./disk-summary.js";

/** What changed with a disk; `text` is for its owner. */
export interface DiskChange {
  readonly kind: "appeared" | "vanished" | "failing" | "worn" | "well" | "silent" | "hot" | "cool";
  readonly text: string;
}

/** A disk as it is now. */
export interface SeenDisk {
  /** The same for the same disk, wherever it is plugged in. */
  readonly key: string;
  readonly state: DiskState;
  readonly isHot: boolean;
  /** It has answered before, but not for a day. */
  readonly isSilent: boolean;
}

/** How long a disk has to be missing: a bus reset removes its disks for seconds. */
export const MISSING_US = 30_000_000;

/** Finds the changes between the announced and the present state. */
export class DiskChanges {
  readonly #missingSinceUs = new Map<string, number>();

  /**
   * The changes, and the announced disks after them. `announced` is undefined if no disk was ever announced; then no disk
   * "appears".
   */
  compare(
    announced: ReadonlyMap<string, AnnouncedDisk> | undefined,
    seen: readonly SeenDisk[],
    nowUs: number,
  ): { readonly changes: readonly DiskChange[]; readonly announced: ReadonlyMap<string, AnnouncedDisk> } {
    const changes: DiskChange[] = [];
    const next = new Map<string, AnnouncedDisk>();
    for (const disk of seen) {
      this.#missingSinceUs.delete(disk.key);
      const before = announced?.get(disk.key);
      if (before === undefined && announced !== undefined)
        changes.push({ kind: "appeared", text: `Disk ${diskName(disk.state)} was found` });
      changes.push(...changesOf(disk, before));
      next.set(disk.key, announcedOf(disk, before));
    }
    for (const [key, before] of announced ?? []) {
      if (next.has(key)) continue;
      const sinceUs = this.#missingSinceUs.get(key) ?? nowUs;
      this.#missingSinceUs.set(key, sinceUs);
      if (nowUs - sinceUs < MISSING_US) {
        next.set(key, before);
        continue;
      }
      this.#missingSinceUs.delete(key);
      changes.push({
        kind: "vanished",
        text: `Disk ${before.name} is gone: look at its cable and its power`,
      });
    }
    return { changes, announced: next };
  }
}

function changesOf({ state, isHot, isSilent }: SeenDisk, before: AnnouncedDisk | undefined): DiskChange[] {
  const changes: DiskChange[] = [];
  const text = state.summary;
  const verdict = before?.verdict;
  if (state.verdict === "failing" && verdict !== "failing") changes.push({ kind: "failing", text });
  else if (state.verdict === "worn" && verdict !== "worn") changes.push({ kind: "worn", text });
  else if (state.verdict === "good" && verdict !== undefined && verdict !== "good")
    changes.push({ kind: "well", text });
  else if (isSilent && verdict !== undefined && verdict !== "silent" && verdict !== "failing")
    changes.push({ kind: "silent", text });
  if (isHot !== (before?.isHot ?? false)) changes.push({ kind: isHot ? "hot" : "cool", text });
  return changes;
}

function announcedOf({ state, isHot, isSilent }: SeenDisk, before: AnnouncedDisk | undefined): AnnouncedDisk {
  const name = diskName(state);
  if (state.verdict !== "unknown") return { name, isHot, verdict: state.verdict };
  const hasFallenSilent = isSilent && before?.verdict !== undefined;
  return { name, isHot, verdict: hasFallenSilent ? "silent" : before?.verdict };
}

/** Whether two maps say the same. */
export function isSameAnnounced(
  one: ReadonlyMap<string, AnnouncedDisk> | undefined,
  other: ReadonlyMap<string, AnnouncedDisk>,
): boolean {
  if (one?.size !== other.size) return false;
  for (const [key, announced] of other) {
    const before = one.get(key);
    if (
      before?.name !== announced.name ||
      before.verdict !== announced.verdict ||
      before.isHot !== announced.isHot
    )
      return false;
  }
  return true;
}
