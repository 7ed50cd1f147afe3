import path from "node:path";
import type { MoveState } from "../../archive/index.js";
import { type Clock, errorText, type Guid, type Log, NvrdError } from "../../base/index.js";
import { type DiskStates, mountedDisks, type SystemFiles } from "../../health/index.js";
import type { FormatDisk } from "./keeper-client.js";
import { storageDisks } from "./storage-list.js";
import type {
  FormatRequest,
  StorageAct,
  StorageControl,
  StorageDisk,
  StorageList,
  StorageUser,
  StorageWork,
} from "./storage-types.js";
import { type StorageArchive, storedVolumes } from "./stored-volumes.js";
import { isVolumePath } from "./volume-mounts.js";
import type { VolumesDirectory } from "./volumes-directory.js";

/** A formatted disk is mounted, and becomes a volume, within this time. */
export const MOUNT_MS_MAX = 90_000;
const MOUNT_LOOK_MS = 500;

export interface StorageOptions {
  readonly archive: StorageArchive;
  /** The machine's disks, from the health monitoring. */
  readonly disks: DiskStates;
  readonly files: SystemFiles;
  readonly dataDir: string;
  /** The directory below which disks are mounted, and its watcher; undefined: disks are formatted and mounted by hand. */
  readonly mounts:
    | { readonly directory: string; readonly watch: Pick<VolumesDirectory, "look" | "forget" | "readmit"> }
    | undefined;
  readonly format: FormatDisk;
  readonly onAct: (act: StorageAct) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Management of the disks. Only formatting takes long: one at a time, in the background; `list` returns its progress.
 */
export class Storage implements StorageControl {
  readonly #options: StorageOptions;
  #work: StorageWork | undefined;
  #isBusy = false;

  constructor(options: StorageOptions) {
    this.#options = options;
    options.archive.moves.onEnd((move) => this.#report({ kind: "moved", ...moveComment(move) }));
  }

  get move(): MoveState | undefined {
    return this.#options.archive.moves.state;
  }

  /**
   * Moves what a retired volume holds to the other volumes, in the background. Resolves when that has begun. Rejects with
   * NOT_FOUND; CONFLICT for a volume that is not retired, without another one, and during another move; NOT_AVAILABLE.
   */
  async beginMove(directory: string, by: StorageUser): Promise<MoveState> {
    const point = this.#volumeAt(directory).directory;
    const begun = await this.#options.archive.moves.begin(point, by ?? null);
    this.#report({ kind: "moving", comment: this.#named(point), by });
    return begun;
  }

  cancelMove(): void {
    this.#options.archive.moves.cancel();
  }

  get work(): StorageWork | undefined {
    return this.#work;
  }

  async list(): Promise<StorageList> {
    const { archive, disks, files, dataDir } = this.#options;
    const volumes = await storedVolumes(archive);
    const found = await storageDisks({ files, disks, dataDir, volumes });
    return { ...found, work: this.#work, problem: disks.problem };
  }

  /**
   * Formats a disk and makes it a volume. Resolves when that has begun. Rejects with NOT_FOUND, BAD_REQUEST if `confirm` does
   * not match, CONFLICT for a different disk, a disk in use, and during another operation, NOT_SUPPORTED without
   * `volumesDirectory`.
   */
  async format(request: FormatRequest, by: StorageUser): Promise<StorageWork> {
    return await this.#begin("format", { request, by }, async () => {
      await this.#formatted(request, by);
      return undefined;
    });
  }

  /**
   * Formats a disk, and when it is in use retires the volume at `directory`. If that volume is absent or empty, it is
   * forgotten: its recordings are removed from the index. Otherwise they can be played until they expire. Rejects like
   * `format`.
   */
  async replace(directory: string, request: FormatRequest, by: StorageUser): Promise<StorageWork> {
    const old = this.#volumeAt(directory).directory;
    return await this.#begin("replace", { request, by }, async () => {
      await this.#formatted(request, by);
      this.#step("retiring the old volume");
      return await this.#retireReplaced(old, by);
    });
  }

  /**
   * Accepts any volume found at a path. Rejects like `Archive.adoptVolume`, and with BAD_REQUEST unless the id of the volume
   * known there is confirmed.
   */
  async adopt(directory: string, confirm: string | undefined, by: StorageUser): Promise<Guid> {
    const { archive, mounts } = this.#options;
    const point = path.resolve(directory);
    if (mounts !== undefined && isVolumePath(mounts.directory, point)) await mounts.watch.readmit(point);
    await archive.readmitVolume(point);
    const volume = this.#volumeAt(point);
    const known = archive.volumeIdAt(point);
    if (known !== undefined && !volume.usable && confirm !== known)
      throw new NvrdError("BAD_REQUEST", `Confirm: volume ${known} belongs at ${point}`, {
        hint: "send its id as Confirm to replace it with the volume found there",
      });
    const id = await archive.adoptVolume(point);
    this.#report({ kind: "adopted", comment: `${point} (volume ${id})`, by });
    return id;
  }

  /** Stops recording onto a volume, or resumes it. Rejects like `Archive.retireVolume`. */
  async retire(directory: string, retired: boolean, by: StorageUser): Promise<void> {
    const point = this.#volumeAt(directory).directory;
    await this.#options.archive.retireVolume(point, retired);
    this.#report({ kind: retired ? "retired" : "called back", comment: this.#named(point), by });
  }

  /** Permanently removes a volume. Rejects with BAD_REQUEST if `confirm` is not its id, CONFLICT while it is in use. */
  async forget(directory: string, confirm: string, by: StorageUser): Promise<void> {
    const volume = this.#volumeAt(directory);
    const point = volume.directory;
    const expected = this.#options.archive.volumeIdAt(point) ?? point;
    if (confirm.toLowerCase() !== expected.toLowerCase())
      throw new NvrdError("BAD_REQUEST", `Confirm: not the id of the volume at ${point}`, {
        hint: "see GET /api/disks; if no volume has been accepted there, it is the path",
      });
    if (volume.usable && !volume.isRetired)
      throw new NvrdError("CONFLICT", `${point} is recorded onto`, { hint: "retire it first" });
    if (this.#options.archive.moves.isMoving(point))
      throw new NvrdError("CONFLICT", `the recordings on ${point} are being moved to other disks`, {
        hint: "wait until that is done, or end it: GET /api/tasks",
      });
    await this.#forget(point, by);
  }

  async #forget(point: string, by: StorageUser): Promise<void> {
    const { archive, mounts } = this.#options;
    const comment = this.#named(point);
    await archive.forgetVolume(point);
    mounts?.watch.forget(point);
    this.#report({ kind: "forgotten", comment, by });
  }

  /** What remains to be done; undefined if nothing. */
  async #retireReplaced(old: string, by: StorageUser): Promise<string | undefined> {
    const { archive } = this.#options;
    if (archive.volumeIdAt(old) !== undefined && !this.#volumeAt(old).isRetired)
      await this.retire(old, true, by);
    const volume = (await storedVolumes(archive)).find(({ directory }) => directory === old);
    const isAway = volume?.totalBytes === undefined || volume.reason !== "";
    if (isAway || volume.usedBytes === 0) {
      await this.#forget(old, by);
      return undefined;
    }
    return `the recordings on ${old} are kept and can be played: forget the volume when they are no longer needed`;
  }

  /** Formats the disk and waits until the new volume is in use. */
  async #formatted(request: FormatRequest, by: StorageUser): Promise<void> {
    const { format, log } = this.#options;
    const mounts = this.#mounts();
    const { device, serial, eraseFound } = request;
    log.info({ device, serial, user: by?.name }, "formatting a disk");
    const label = await format({ device, serial, eraseFound });
    const directory = path.join(mounts.directory, label);
    this.#report({
      kind: "formatted",
      comment: `${device} (serial ${serial || "none"}) as ${directory}`,
      by,
    });
    this.#step("waiting for the disk to be mounted");
    await this.#untilTaken(directory);
    this.#work = this.#work === undefined ? undefined : { ...this.#work, directory };
  }

  async #untilTaken(directory: string): Promise<void> {
    const { archive, clock } = this.#options;
    const { watch } = this.#mounts();
    const endUs = clock.monotonicUs() + MOUNT_MS_MAX * 1000;
    for (;;) {
      await watch.look();
      const volume = archive.overload().volumes.find((known) => known.directory === directory);
      if (volume?.usable === true) return;
      if (clock.monotonicUs() >= endUs) {
        const reason = archive.absentVolumes().find((known) => known.directory === directory)?.reason;
        const text = `the disk is formatted, but ${reason ?? `was not mounted at ${directory}`}`;
        throw new NvrdError("NOT_AVAILABLE", text, { hint: "see the log of nvrd-disk@.service" });
      }
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, MOUNT_LOOK_MS));
    }
  }

  async #begin(
    action: StorageWork["action"],
    { request, by }: { readonly request: FormatRequest; readonly by: StorageUser },
    work: () => Promise<string | undefined>,
  ): Promise<StorageWork> {
    if (this.#isBusy)
      throw new NvrdError("CONFLICT", "a disk is being worked on", {
        hint: "see GET /api/disks for its progress",
      });
    this.#isBusy = true;
    try {
      await this.#requireFit(request);
    } catch (error) {
      this.#isBusy = false;
      throw error;
    }
    const { clock } = this.#options;
    const begun: StorageWork = {
      ...{ action, by, device: request.device, state: "running", step: "formatting" },
      ...{ startedUs: clock.nowUs(), endedUs: undefined, problem: undefined, directory: undefined },
    };
    this.#work = begun;
    void work().then(
      (problem) => this.#end("done", problem),
      (error: unknown) => this.#end("failed", errorText(error)),
    );
    return begun;
  }

  #end(state: "done" | "failed", problem: string | undefined): void {
    const { clock, log } = this.#options;
    this.#isBusy = false;
    if (this.#work === undefined) return;
    this.#work = { ...this.#work, state, problem, endedUs: clock.nowUs() };
    const { action, device } = this.#work;
    log[state === "done" ? "info" : "error"]({ action, device, problem }, "the work on the disk has ended");
  }

  #step(step: string): void {
    if (this.#work !== undefined) this.#work = { ...this.#work, step };
  }

  /** The checks possible here; the keeper checks the disk itself. */
  async #requireFit({ device, serial, confirm }: FormatRequest): Promise<void> {
    this.#mounts();
    const disk: StorageDisk | undefined = (await this.list()).disks.find((known) => known.device === device);
    if (disk === undefined)
      throw new NvrdError("NOT_FOUND", "there is no such disk", { hint: "GET /api/disks lists them" });
    if (disk.serial !== serial)
      throw new NvrdError("CONFLICT", `${device} has another serial number`, {
        hint: "read GET /api/disks again: disks may have changed places",
      });
    if (confirm !== (serial === "" ? device : serial))
      throw new NvrdError("BAD_REQUEST", "Confirm: not the disk's serial number", {
        hint: "repeat the serial number, or the device name of a disk without one: all data on the disk is lost",
      });
    if (disk.isSystemDisk)
      throw new NvrdError("CONFLICT", `${device} is the disk that this machine runs from`, { hint: "" });
    const mounted = await mountedDisks(this.#options.files);
    const [point] = mounted.get(device.slice("/dev/".length)) ?? [];
    if (point !== undefined)
      throw new NvrdError("CONFLICT", `${device} is in use: mounted at ${point}`, {
        hint: "a mounted disk is never formatted",
      });
  }

  #mounts() {
    const { mounts } = this.#options;
    if (mounts === undefined)
      throw new NvrdError("NOT_SUPPORTED", "this recorder does not mount disks by itself", {
        hint: "set volumesDirectory, or format and mount the disk by hand",
      });
    return mounts;
  }

  #volumeAt(directory: string) {
    const point = path.resolve(directory);
    const volume = this.#options.archive.overload().volumes.find((known) => known.directory === point);
    if (volume === undefined)
      throw new NvrdError("NOT_FOUND", "there is no volume at this path", {
        hint: "GET /api/disks lists them",
      });
    return volume;
  }

  #named(point: string): string {
    const id = this.#options.archive.volumeIdAt(point);
    return id === undefined ? point : `${point} (volume ${id})`;
  }

  #report(act: StorageAct): void {
    const { onAct, log } = this.#options;
    log.info({ act: act.kind, user: act.by?.name }, act.comment);
    onAct(act);
  }
}

/** What became of a move, for its event. */
function moveComment({
  directory,
  by,
  state,
  progress,
  problem,
}: MoveState): Pick<StorageAct, "comment" | "by"> {
  const counts = progress === undefined ? "" : `, ${progress.moved} segments moved, ${progress.left} left`;
  const reason = problem === undefined ? "" : `: ${problem}`;
  return { comment: `${directory}: ${state}${counts}${reason}`, by: by ?? undefined };
}
