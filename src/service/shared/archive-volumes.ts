import path from "node:path";
import { KnownVolumes, type VolumeSettings } from "../../archive/index.js";
import { createLog, errorText, type Log } from "../../base/index.js";
import { isVolumePath, readMountTable, volumeMounts } from "../../box/storage/index.js";
import { DEFAULT_RESERVE, reserveOf, type Settings } from "../../settings/index.js";

type VolumeSources = Pick<Settings, "dataDir" | "volumes" | "volumesDirectory">;

/**
 * The volumes at the start: those in the settings, and below `volumesDirectory` those mounted now and the known ones that are
 * absent, so that they are reported missing.
 */
export function archiveVolumes(settings: VolumeSources, log: Log): readonly VolumeSettings[] {
  const named = settings.volumes.map(({ path: directory, mount, standIn, reserve }) => ({
    path: directory,
    mount: mount === true,
    standIn: standIn === true,
    reserve: reserveOf(reserve),
  }));
  const { volumesDirectory } = settings;
  if (volumesDirectory === undefined) return named;
  const paths = new Set(named.map((volume) => path.resolve(volume.path)));
  const found = [...knownVolumePaths(settings), ...mountedNow(volumesDirectory, log)];
  const others = [...new Set(found)].filter(
    (point) => !paths.has(point) && isVolumePath(volumesDirectory, point),
  );
  return [...named, ...others.map(mountedVolume)];
}

/** A disk that is a volume because of where it is mounted. */
export function mountedVolume(directory: string): VolumeSettings {
  return { path: directory, mount: true, reserve: reserveOf(DEFAULT_RESERVE) };
}

function knownVolumePaths({ dataDir }: VolumeSources): readonly string[] {
  const known = new KnownVolumes({ dataDir, paths: [], log: createLog({ level: "silent" }) });
  known.load();
  return known.paths();
}

function mountedNow(volumesDirectory: string, log: Log): readonly string[] {
  try {
    return volumeMounts(volumesDirectory, readMountTable());
  } catch (error) {
    log.error(`${volumesDirectory}: the mounted file systems cannot be listed: ${errorText(error)}`);
    return [];
  }
}
