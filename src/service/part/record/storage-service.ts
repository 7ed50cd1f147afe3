import type { Clock, Log } from "../../../base/index.js";
import {
  isVolumePath,
  keeperClient,
  readMountTable,
  Storage,
  type StorageAct,
  type StorageControl,
  VolumesDirectory,
} from "../../../box/storage/index.js";
import { EVENT_TYPES, type EventInput, type EventLog, type EventTypeName } from "../../../event/index.js";
import { type DiskStates, SystemFiles } from "../../../health/index.js";
import type { Settings } from "../../../settings/index.js";
import type { ArchiveService } from "./archive-service.js";

export interface StorageServiceOptions {
  readonly settings: Pick<Settings, "dataDir" | "volumes" | "volumesDirectory" | "diskKeeper">;
  readonly archive: ArchiveService;
  readonly disks: DiskStates;
  readonly events: Pick<EventLog, "raise">;
  readonly clock: Clock;
  readonly log: Log;
}

/** The disk administration: detects mounted disks, and executes the administrator's requests. */
export class StorageService {
  readonly control: StorageControl;
  readonly #watch: VolumesDirectory | undefined;

  constructor({ settings, archive, disks, events, clock, log }: StorageServiceOptions) {
    const { volumesDirectory: directory, dataDir, diskKeeper } = settings;
    const watch = directory === undefined ? undefined : this.#createWatch(directory, { archive, clock, log });
    this.#watch = watch;
    this.control = new Storage({
      archive: archive.storage,
      ...{ disks, dataDir, clock, log },
      files: new SystemFiles(),
      mounts: directory === undefined || watch === undefined ? undefined : { directory, watch },
      format: keeperClient(diskKeeper, clock),
      onAct: (act) => events.raise(actEvent(act)),
    });
  }

  start(): void {
    this.#watch?.start();
  }

  stop(): void {
    this.#watch?.stop();
  }

  #createWatch(
    directory: string,
    { archive, clock, log }: Pick<StorageServiceOptions, "archive" | "clock" | "log">,
  ): VolumesDirectory {
    const known = archive.archive.overload().volumes.map((volume) => volume.directory);
    const add = (point: string) => archive.addVolume(point);
    const seen = async (mounted: readonly string[]): Promise<void> => {
      const forgotten = archive.archive.forgottenAt().filter((point) => isVolumePath(directory, point));
      for (const point of forgotten) if (!mounted.includes(point)) await archive.archive.volumeLeft(point);
    };
    return new VolumesDirectory({ directory, known, mountTable: readMountTable, add, seen, clock, log });
  }
}

const EVENT_OF: Readonly<Record<StorageAct["kind"], EventTypeName>> = {
  formatted: "diskFormatted",
  adopted: "volumeAdopted",
  retired: "volumeRetired",
  "called back": "volumeCalledBack",
  forgotten: "volumeForgotten",
  moving: "taskStarted",
  moved: "taskEnded",
};

/** The event for an operation on a disk, with its user. */
function actEvent({ kind, comment, by }: StorageAct): EventInput {
  const isMove = kind === "moving" || kind === "moved";
  return {
    typeId: EVENT_TYPES[EVENT_OF[kind]].id,
    comment: isMove ? `Move (${comment})` : comment,
    ...(by === undefined ? {} : { initiator: { type: 1, id: by.id, name: by.name } }),
  };
}
