import type {
  Disk,
  DiskFigureName,
  DiskHistory,
  DiskSample,
  Disks,
  Volume,
} from "../../../contract/answer/index.js";
import { addressOf } from "../../state/address.js";
import { requestJson } from "../../state/request.js";

/** What disks count of themselves, in the order in which people care. */
export const FIGURES = [
  "TemperatureCelsius",
  "PowerOnHours",
  "BytesWritten",
  "PercentageUsed",
  "AvailableSparePercent",
  "ReallocatedSectors",
  "PendingSectors",
  "OfflineUncorrectable",
  "UncorrectableErrors",
  "CommandTimeouts",
] as const satisfies readonly DiskFigureName[];

/** The oldest first. */
export async function readHistory(device: string): Promise<readonly DiskSample[]> {
  const { Samples } = await requestJson<DiskHistory>(addressOf("/api/disks/history", { device }));
  return Samples;
}

export function readDisks(): Promise<Disks> {
  return requestJson<Disks>("/api/disks");
}

/** The body of a task that erases a disk: the serial number twice, so that it is the disk that was meant. */
export function eraseBody(disk: Disk): object {
  const { Device, Serial } = disk;
  const EraseFound = holdingOf(disk) !== undefined;
  return { Device, Serial, Confirm: Serial === "" ? Device : Serial, EraseFound };
}

/** Bytes that recordings may take, on all volumes that are recorded onto. */
export function roomBytes({ Disks, OtherVolumes }: Disks): number {
  return [...Disks.flatMap((disk) => disk.Volumes), ...OtherVolumes]
    .filter(({ State }) => State === "InUse")
    .reduce((sum, { AllowedBytes }) => sum + (AllowedBytes ?? 0), 0);
}

/** The share of a disk's recorded file systems that is taken, percent; undefined where it is not recorded onto. */
export function fullPercent({ Volumes }: Disk): number | undefined {
  const used = apart(Volumes.filter(({ State }) => State !== "LeftOut"));
  const sum = (bytes: (volume: Volume) => number | null): number =>
    used.reduce((total, volume) => total + (bytes(volume) ?? 0), 0);
  const size = sum(({ SizeBytes }) => SizeBytes);
  return size === 0 ? undefined : Math.round(100 * (1 - sum(({ FreeBytes }) => FreeBytes) / size));
}

/** Directories of one file system share its room: it counts once. */
function apart(volumes: readonly Volume[]): readonly Volume[] {
  return volumes.filter(
    (volume, index) => volumes.findIndex(({ SizeBytes }) => SizeBytes === volume.SizeBytes) === index,
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

/** Its recordings are no part of the archive any more. Rejects with RequestError. */
export async function forgetVolume({ Path, VolumeId }: Volume): Promise<void> {
  await requestJson("/api/disks/forget", { method: "POST", body: { Path, Confirm: VolumeId ?? Path } });
}

/** Records nothing onto it any more, or again. Rejects with RequestError. */
export async function retireVolume({ Path }: Volume, Retired: boolean): Promise<void> {
  await requestJson("/api/disks/retire", { method: "POST", body: { Path, Retired } });
}
