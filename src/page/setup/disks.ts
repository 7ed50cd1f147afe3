import { requestJson } from "../state/request.js";

/** A disk as `GET /api/disks` has it; what the page uses. */
export interface Disk {
  readonly Device: string;
  readonly Model: string;
  readonly Serial: string;
  readonly SizeBytes: number;
  readonly IsSystemDisk: boolean;
  readonly Verdict: "good" | "worn" | "failing" | "unknown";
  readonly Contents: readonly { readonly Name: string; readonly Type: string; readonly Label: string }[];
  readonly Volumes: readonly Volume[];
}

export interface Volume {
  readonly Path: string;
  readonly State: "InUse" | "Retired" | "LeftOut";
  readonly Reason: string | null;
  readonly SizeBytes: number | null;
  readonly FreeBytes: number | null;
  readonly RecordedBytes: number | null;
}

export interface DiskList {
  readonly Disks: readonly Disk[];
  readonly OtherVolumes: readonly Volume[];
}

export function readDisks(): Promise<DiskList> {
  return requestJson<DiskList>("/api/disks");
}

/** Bytes that recordings may take, on all volumes that are recorded onto. */
export function roomBytes({ Disks, OtherVolumes }: DiskList): number {
  return [...Disks.flatMap((disk) => apart(disk.Volumes)), ...OtherVolumes]
    .filter(({ State }) => State === "InUse")
    .reduce((sum, { FreeBytes, RecordedBytes }) => sum + (FreeBytes ?? 0) + (RecordedBytes ?? 0), 0);
}

/** Directories of one file system share its room: it counts once. */
function apart(volumes: readonly Volume[]): readonly Volume[] {
  const used = volumes.filter(({ State }) => State === "InUse");
  return used.filter(
    (volume, index) => used.findIndex(({ SizeBytes }) => SizeBytes === volume.SizeBytes) === index,
  );
}

const OWN_LABEL = /^nvrd-/;
const WINDOWS = /^(?:ntfs|exfat|vfat|msdos|refs|bitlocker)$/i;
const RAID = /raid_member|lvm/i;

export type Holding = "own" | "recorder" | "windows" | "raid" | "other";

/** What is on a disk, for people; undefined if it is empty. */
export function holdingOf({ Contents }: Disk): Holding | undefined {
  if (Contents.length === 0) return undefined;
  if (Contents.some(({ Label }) => OWN_LABEL.test(Label))) return "own";
  if (Contents.some(({ Type }) => RAID.test(Type))) return "raid";
  if (Contents.some(({ Type }) => WINDOWS.test(Type))) return "windows";
  return Contents.some(({ Type }) => /^(?:ext\d|xfs|btrfs|ufs|jfs|reiserfs)$/i.test(Type))
    ? "recorder"
    : "other";
}
