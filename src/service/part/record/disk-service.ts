import path from "node:path";
import type { Clock, Guid, Log } from "../../../base/index.js";
import { EVENT_TYPES, type EventLog, type EventTypeName } from "../../../event/index.js";
import {
  AnnouncedDisks,
  childDiskNames,
  type DiskChange,
  DiskHistory,
  DiskWatch,
  isAskedBySmartctl,
  noSmart,
  ReportSource,
  Smartctl,
  SmartRounds,
  type SmartSource,
  SystemFiles,
} from "../../../health/index.js";
import type { Settings } from "../../../settings/index.js";

export interface DiskServiceOptions {
  readonly settings: Pick<Settings, "dataDir" | "volumes" | "diskReport">;
  /** Directories of the present volumes. */
  readonly volumePaths: () => readonly string[];
  readonly events: Pick<EventLog, "raise">;
  readonly history: DiskHistory;
  readonly bootId: Guid;
  readonly clock: Clock;
  readonly log: Log;
}

/** Monitors the machine's disks; each change is an event. */
export function createDiskWatch({
  settings,
  volumePaths,
  events,
  history,
  bootId,
  clock,
  log,
}: DiskServiceOptions): DiskWatch {
  return new DiskWatch({
    // A getter, because volumes come and go.
    get volumes() {
      return volumePaths().map(
        (directory) =>
          settings.volumes.find((named) => path.resolve(named.path) === directory) ?? { path: directory },
      );
    },
    files: new SystemFiles(),
    names: childDiskNames(clock),
    smart: smartSource(settings.diskReport, clock, bootId),
    announced: new AnnouncedDisks(settings.dataDir, log),
    onChange: (change) =>
      events.raise({ typeId: EVENT_TYPES[EVENT_OF[change.kind]].id, comment: change.text }),
    history,
    clock,
    log,
  });
}

/** Years of what the disks say of themselves, in the data directory. */
export function createDiskHistory(dataDir: string, clock: Clock, log: Log): DiskHistory {
  return new DiskHistory({ dataDir, clock, log });
}

/** Without root rights, the service reads the report of a root process; with root rights, it reads SMART itself. */
function smartSource(diskReport: string | undefined, clock: Clock, bootId: Guid): SmartSource {
  if (diskReport !== undefined) return new ReportSource({ file: diskReport, clock, bootId });
  if (process.getuid?.() !== 0)
    return noSmart(
      "SMART needs root rights: let root run `nvrd disk-report --out FILE` every 30 minutes, and name FILE in the " +
        "setting diskReport",
    );
  return new SmartRounds({ smartctl: new Smartctl({ clock, isAsked: isAskedBySmartctl }), clock });
}

const EVENT_OF: Readonly<Record<DiskChange["kind"], EventTypeName>> = {
  appeared: "diskAppeared",
  vanished: "diskVanished",
  failing: "diskFailing",
  worn: "diskWorn",
  well: "diskWell",
  silent: "diskSilent",
  hot: "diskHot",
  cool: "diskCool",
};
