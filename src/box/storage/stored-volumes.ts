import type { VolumeMoves, VolumeStatus } from "../../archive/index.js";
import type { Guid } from "../../base/index.js";
import type { StoredVolume } from "./storage-types.js";

/** The operations of the archive on its volumes. */
export interface StorageArchive {
  overload(): { readonly volumes: readonly VolumeFigures[] };
  absentVolumes(): readonly { readonly directory: string; readonly reason: string }[];
  volumeStatus(): Promise<readonly VolumeStatus[]>;
  /** When a retired volume will hold no recordings any more; undefined where that is not known. */
  emptyUs(status: VolumeStatus): number | undefined;
  /** The id of the volume known at a directory, present or not. */
  volumeIdAt(directory: string): Guid | undefined;
  /** A path whose volume was given up is one of a volume again. */
  readmitVolume(directory: string): Promise<void>;
  adoptVolume(directory: string): Promise<Guid>;
  retireVolume(directory: string, retired: boolean): Promise<void>;
  forgetVolume(directory: string): Promise<void>;
  /** Recordings that go off retired volumes. */
  readonly moves: Pick<VolumeMoves, "state" | "isMoving" | "begin" | "cancel" | "onEnd">;
}

export interface VolumeFigures {
  readonly directory: string;
  readonly usable: boolean;
  readonly isRetired: boolean;
}

/** The current state of all volumes. */
export async function storedVolumes(archive: StorageArchive): Promise<readonly StoredVolume[]> {
  const statuses = await archive.volumeStatus();
  const reasons = new Map(archive.absentVolumes().map(({ directory, reason }) => [directory, reason]));
  return archive.overload().volumes.map(({ directory, usable, isRetired }) => {
    const status = statuses.find((known) => known.directory === directory);
    return {
      directory,
      volumeId: archive.volumeIdAt(directory),
      state: isRetired ? "retired" : usable ? "in use" : "left out",
      reason: reasons.get(directory) ?? "",
      totalBytes: status?.totalBytes,
      freeBytes: status?.freeBytes,
      usedBytes: status?.usedBytes,
      allowedBytes: status?.allowedBytes,
      emptyUs: status === undefined ? undefined : archive.emptyUs(status),
      projectedYearBytes: status?.projectedYearBytes,
      workloadTbPerYear: status?.workloadTbPerYear,
    };
  });
}
