import {
  type Clock,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  pauseUnlessAborted,
} from "../../base/index.js";
import type { BootTimes } from "../time/boot-times.js";
import { MoveJournal, type MoveOrder } from "./move-journal.js";
import { MovePace } from "./move-pace.js";
import type { MovingVolume } from "./moving-volume.js";
import { MoveFailure, SegmentMove, type SegmentMoveOptions } from "./segment-move.js";
import { type MoveProgress, type MoveResult, VolumeMove, type VolumeMoveOptions } from "./volume-move.js";

/** A disk that is being emptied may come some time after the service, as after a power cut. */
const SOURCE_WAIT_MS = 120_000;
const SOURCE_LOOK_MS = 500;

/** The move that is under way, or the last one since the start. */
export interface MoveState {
  readonly directory: string;
  readonly by: MoveOrder["by"];
  readonly state: "running" | "done" | "failed" | "cancelled";
  readonly startedUs: number;
  readonly endedUs: number | undefined;
  readonly progress: MoveProgress | undefined;
  readonly result: MoveResult | undefined;
  /** Why it failed. */
  readonly problem: string | undefined;
}

export interface VolumeMovesOptions
  extends Omit<VolumeMoveOptions, "mover" | "journal" | "volumeOf" | "targets"> {
  readonly dataDir: string;
  readonly index: VolumeMoveOptions["index"] & SegmentMoveOptions["index"];
  readonly bootTimes: Pick<BootTimes, "redate" | "spread">;
  /** The volumes that are there. */
  readonly volumes: () => readonly MovingVolume[];
  /** Of these, those that cameras are recorded onto. */
  readonly targets: () => readonly MovingVolume[];
  /** The id of the volume that belongs at a directory, present or not. */
  readonly volumeIdAt: (directory: string) => Guid | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Moves of recordings from retired volumes: one at a time, until it is done, ended by somebody, or cannot go on. */
export class VolumeMoves {
  readonly #options: VolumeMovesOptions;
  readonly #journal: MoveJournal;
  readonly #mover: SegmentMove;
  readonly #volumeOf = (id: Guid) => this.#options.volumes().find((volume) => volume.id === id);
  #state: MoveState | undefined;
  #stop = new AbortController();
  #isStopping = false;
  #running: Promise<void> = Promise.resolve();
  #onEnd: (state: MoveState) => void = () => undefined;

  constructor(options: VolumeMovesOptions) {
    const { index, bootTimes, clock } = options;
    this.#options = options;
    this.#journal = new MoveJournal(options);
    this.#mover = new SegmentMove({ index, bootTimes, pace: new MovePace(clock), journal: this.#journal });
  }

  get state(): MoveState | undefined {
    const { index } = this.#options;
    if (this.#state?.state !== "running") return this.#state;
    const { moved = 0, movedBytes = 0, volumeId } = this.#journal.order ?? {};
    if (volumeId === undefined) return this.#state;
    const left = { left: index.volumeSegments(volumeId), leftBytes: index.volumeBytes(volumeId) };
    return { ...this.#state, progress: { moved, movedBytes, ...left } };
  }

  /** Whether the volume at a directory is being emptied. */
  isMoving(directory: string): boolean {
    return this.#state?.state === "running" && this.#state.directory === directory;
  }

  /** `listener` is called when a move has ended by itself or by somebody. */
  onEnd(listener: (state: MoveState) => void): void {
    this.#onEnd = listener;
  }

  /** Reads what was to be moved. It must come before retention starts. */
  load(): void {
    this.#journal.load();
    this.#mover.holdUnfinished();
    if (this.#journal.order !== undefined) this.#announce(this.#journal.order);
  }

  /** Finishes the segment that a crash interrupted, and goes on with what was to be moved. The index must be open. */
  start(): void {
    const { order } = this.#journal;
    if (order !== undefined) this.#run(order);
    else if (this.#journal.underWay.length > 0) this.#running = this.#finishLeft();
  }

  /** A move ended while a disk did not answer. What cannot be finished now is finished with the next move. */
  async #finishLeft(): Promise<void> {
    for (const id of new Set(this.#journal.underWay.map(({ volumeId }) => volumeId))) {
      const from = this.#volumeOf(id);
      try {
        if (from !== undefined) await this.#mover.finish(from, this.#volumeOf);
      } catch (error) {
        this.#options.log.warn({ volume: id }, `an interrupted move is not finished: ${errorText(error)}`);
      }
    }
  }

  /** The order is kept: the next start goes on. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#stop.abort();
    await this.#running;
  }

  /** Rejects with NvrdError NOT_FOUND, CONFLICT, NOT_AVAILABLE. Resolves when it has begun and would be gone on with after a restart. */
  async begin(directory: string, by: MoveOrder["by"]): Promise<MoveState> {
    const volume = this.#requireFit(directory);
    const order = { directory, volumeId: volume.id, by, moved: 0, movedBytes: 0 };
    const begun = this.#announce(order);
    try {
      await this.#journal.setOrder(order);
    } catch (error) {
      this.#end("failed", { problem: errorText(error) });
      throw new NvrdError("NOT_AVAILABLE", `the move cannot be noted: ${errorText(error)}`, { cause: error });
    }
    this.#run(order);
    return begun;
  }

  /** What was moved stays moved. */
  cancel(): void {
    if (this.#state?.state !== "running") return;
    this.#stop.abort();
  }

  #requireFit(directory: string): MovingVolume {
    const { volumes, volumeIdAt, isRetired, targets } = this.#options;
    if (this.#state?.state === "running")
      throw new NvrdError("CONFLICT", `the recordings on ${this.#state.directory} are being moved`, {
        hint: "one disk at a time: wait, or end it: GET /api/tasks",
      });
    const id = volumeIdAt(directory);
    if (id === undefined)
      throw new NvrdError("NOT_FOUND", "there is no volume at this path", {
        hint: "GET /api/disks lists them",
      });
    if (!isRetired(id))
      throw new NvrdError("CONFLICT", `${directory} is being recorded onto`, { hint: "retire it first" });
    const volume = volumes().find((one) => one.id === id);
    if (volume?.usable !== true)
      throw new NvrdError("NOT_AVAILABLE", `the disk at ${directory} is not there`, { hint: "plug it in" });
    if (!targets().some((one) => one.id !== id))
      throw new NvrdError("CONFLICT", "there is no other disk to move the recordings to", {
        hint: "add a disk first",
      });
    return volume;
  }

  #announce({ directory, by }: MoveOrder): MoveState {
    this.#stop = new AbortController();
    if (this.#isStopping) this.#stop.abort();
    const ends = { endedUs: undefined, progress: undefined, result: undefined, problem: undefined };
    const startedUs = this.#options.clock.nowUs();
    this.#state = { directory, by, state: "running", startedUs, ...ends };
    return this.#state;
  }

  #run(order: MoveOrder): void {
    const before = this.#running;
    const { log } = this.#options;
    log.info({ directory: order.directory, volume: order.volumeId }, "recordings are being moved off a disk");
    this.#running = before
      .then(() => this.#work(order))
      .catch((error: unknown) => {
        log.error({ directory: order.directory }, `the end of a move cannot be noted: ${errorText(error)}`);
      });
  }

  async #work({ directory, volumeId }: MoveOrder): Promise<void> {
    const { signal } = this.#stop;
    try {
      const result = await this.#moved(volumeId, signal);
      this.#end("done", { result });
    } catch (error) {
      // The next start goes on.
      if (this.#isStopping) return;
      if (signal.aborted) this.#end("cancelled", {});
      else this.#end("failed", { problem: this.#problemOf(directory, error) });
    }
    await this.#journal.setOrder(undefined);
  }

  async #moved(volumeId: Guid, signal: AbortSignal): Promise<MoveResult> {
    const { bootTimes, volumes, targets } = this.#options;
    const from = await this.#source(volumeId, signal);
    // Segments that were dated anew say on the new volume what they said on the old one.
    await bootTimes.spread(volumes());
    const move = new VolumeMove(from, {
      ...this.#options,
      ...{ mover: this.#mover, journal: this.#journal, volumeOf: this.#volumeOf, targets },
    });
    return await move.run({ signal });
  }

  async #source(volumeId: Guid, signal: AbortSignal): Promise<MovingVolume> {
    const { clock } = this.#options;
    const untilUs = clock.monotonicUs() + SOURCE_WAIT_MS * 1000;
    for (;;) {
      signal.throwIfAborted();
      const volume = this.#volumeOf(volumeId);
      if (volume?.usable === true) return volume;
      if (clock.monotonicUs() > untilUs)
        throw new NvrdError("NOT_AVAILABLE", "the disk is not there", { hint: "plug it in and move again" });
      await pauseUnlessAborted(clock, SOURCE_LOOK_MS, signal);
    }
  }

  #problemOf(directory: string, error: unknown): string {
    if (error instanceof NvrdError) return error.message;
    if (error instanceof MoveFailure) return `a disk cannot be used: ${error.message}`;
    this.#options.log.error({ directory }, `a move failed: ${errorText(error)}`);
    return "it cannot go on: the log says why";
  }

  #end(state: "done" | "failed" | "cancelled", end: Partial<Pick<MoveState, "result" | "problem">>): void {
    const { clock, log } = this.#options;
    const before = this.state;
    if (before === undefined) return;
    this.#state = { ...before, state, endedUs: clock.nowUs(), ...end };
    const { moved, movedBytes, left } = this.#state.progress ?? {};
    log.info({ directory: before.directory, state, moved, movedBytes, left }, "the move has ended");
    this.#onEnd(this.#state);
  }
}
