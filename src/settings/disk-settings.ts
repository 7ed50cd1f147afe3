import { define } from "./definition.js";
import { filePath, type VolumeSetting } from "./values.js";

/** The settings of the disks beside `volumes`. */
export const DISK_SETTING_DEFINITIONS = {
  volumesDirectory: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "none: the volumes are those of `volumes`",
    description:
      "File systems that are mounted directly below it, at a name that begins with `nvrd-`, are volumes without being named in " +
      "`volumes`: at the start, and when they come later. The Debian package and the image have `/srv`. Where `volumes` " +
      "names none, the data directory is recorded into only while there is no such disk.",
  }),
  diskKeeper: define({
    kind: filePath,
    fallback: "/run/nvrd-disks/keeper.sock",
    description:
      "Socket of the process with root's rights that formats disks for nvrd (`nvrd disk-keeper`); the Debian package has it.",
  }),
  diskReport: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "none: a service with root's rights asks the disks itself, another one knows no SMART",
    description:
      "The report that root's `nvrd disk-report --out FILE` writes each 30 minutes: how the disks are (SMART). It is read " +
      "each minute.",
  }),
} as const;

/** Where disks are volumes as they come, the system disk stands in for them. */
export function standIns(
  volumes: readonly VolumeSetting[],
  volumesDirectory: string | undefined,
): readonly VolumeSetting[] {
  return volumesDirectory === undefined ? volumes : volumes.map((volume) => ({ ...volume, standIn: true }));
}
