import { type Clock, errorText, type Guid, type Log, NvrdError, newGuid, Semaphore } from "../base/index.js";
import type { TaskKind, TaskResult } from "../contract/answer/index.js";
import type { ObservedTask, Task, TaskOrder, TaskOwner } from "./task.js";

/** Tasks that wait or run: of one user, and of all. */
const UNDER_WAY_PER_USER_MAX = 8;
const UNDER_WAY_MAX = 32;
/** Tasks kept with their results; the oldest that has ended goes first. */
const TASKS_KEPT_MAX = 64;
/** How long a result is kept. */
const KEPT_US = 24 * 3_600 * 1_000_000;

/** How many tasks of a lane run at once: the devices of a network are read by one at a time, and so is a disk formatted. */
const LANES = {
  scan: 2,
  cameras: 1,
  disks: 1,
  check: 1,
  export: 1,
  file: 1,
  talk: 8,
  system: 1,
  card: 1,
  trial: 2,
  certificate: 1,
} as const;
const LANE_OF: Readonly<Record<TaskKind, keyof typeof LANES>> = {
  Scan: "scan",
  ReadCameras: "cameras",
  TryCamera: "cameras",
  AddCameras: "cameras",
  Format: "disks",
  Replace: "disks",
  Move: "disks",
  Adopt: "disks",
  Check: "check",
  Export: "export",
  SaveFile: "file",
  Announce: "talk",
  Update: "system",
  FillGaps: "card",
  TryAcme: "trial",
  ObtainCertificate: "certificate",
};

/** A task began or ended, for the event log. */
export interface TaskNotice {
  readonly task: Task;
  readonly what: "begun" | "ended";
}

interface TasksOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly onNotice: (notice: TaskNotice) => void;
}

interface Entry extends Task {
  state: Task["state"];
  progress: number | undefined;
  step: string;
  endedUs: number | undefined;
  canCancel: boolean;
  result: TaskResult | null;
  error: string | undefined;
  readonly stop: AbortController;
  readonly onForgotten: ((id: Guid) => void) | undefined;
}

interface Observed {
  readonly read: () => ObservedTask | undefined;
  id: Guid;
  startedUs: number;
}

/** All long work: started, listed, cancelled, kept with its result for a day, within bounds. */
export class Tasks {
  readonly #options: TasksOptions;
  readonly #entries = new Map<Guid, Entry>();
  readonly #observed: Observed[] = [];
  readonly #lanes = new Map(
    Object.entries(LANES).map(([lane, atOnce]) => [
      lane,
      new Semaphore({ atOnce, waitingMax: UNDER_WAY_MAX }),
    ]),
  );

  constructor(options: TasksOptions) {
    this.#options = options;
  }

  /** Throws NvrdError TOO_MANY_REQUESTS if the user, or all users, have as much under way as they may. */
  start(order: TaskOrder): Task {
    this.#requireRoom(order.owner);
    const { kind, owner, subject, canCancel, onForgotten } = order;
    const entry: Entry = {
      ...{ id: newGuid(), kind, owner, subject, canCancel, onForgotten },
      ...{ state: "Waiting", progress: undefined, step: "", error: undefined },
      ...{ startedUs: this.#options.clock.nowUs(), endedUs: undefined, result: null },
      stop: new AbortController(),
    };
    this.#entries.set(entry.id, entry);
    this.#forgetOld();
    this.#options.onNotice({ task: entry, what: "begun" });
    void this.#run(entry, order);
    return entry;
  }

  /** Lists work that is driven from elsewhere. A new start time is a new task. */
  observe(read: () => ObservedTask | undefined): void {
    this.#observed.push({ read, id: newGuid(), startedUs: Number.NaN });
  }

  /** The newest first. */
  list(): readonly Task[] {
    this.#forgetOld();
    const own = [...this.#entries.values()].reverse();
    const observed = this.#observed.flatMap((one) => observedTask(one) ?? []);
    return [...observed, ...own].sort((one, other) => other.startedUs - one.startedUs);
  }

  get(id: Guid): Task | undefined {
    return this.list().find((task) => task.id === id);
  }

  /**
   * Cancels a task that is under way, and forgets one that has ended. Throws NvrdError NOT_FOUND, CONFLICT if it cannot be
   * cancelled.
   */
  remove(id: Guid): void {
    const task = this.get(id);
    if (task === undefined) throw new NvrdError("NOT_FOUND", "there is no such task");
    const entry = this.#entries.get(id);
    if (entry !== undefined && !isUnderWay(entry)) {
      this.#forget(entry);
      return;
    }
    if (entry === undefined && task.canCancel) {
      this.#observed
        .find((observed) => observed.id === id)
        ?.read()
        ?.cancel?.();
      return;
    }
    if (entry === undefined || !entry.canCancel)
      throw new NvrdError("CONFLICT", `a task of kind ${task.kind} cannot be cancelled`, {
        hint: "wait until it has ended: GET /api/tasks shows its progress",
      });
    entry.stop.abort();
    // The work may take a moment to notice; nothing that it finds from now on counts.
    this.#end(entry, "Cancelled", undefined);
  }

  /** Cancels all work that can be cancelled. */
  stop(): void {
    for (const entry of [...this.#entries.values()]) if (isUnderWay(entry)) entry.stop.abort();
  }

  async #run(entry: Entry, order: TaskOrder): Promise<void> {
    const { log } = this.#options;
    const { signal } = entry.stop;
    const noteIfOpen = (change: Partial<Pick<Entry, "progress" | "step" | "result">>): void => {
      if (isUnderWay(entry)) Object.assign(entry, change);
    };
    const running = {
      id: entry.id,
      signal,
      progress: (part: number | undefined) =>
        noteIfOpen({ progress: part === undefined ? undefined : Math.min(1, Math.max(0, part)) }),
      step: (step: string) => noteIfOpen({ step }),
      result: (result: TaskResult) => noteIfOpen({ result }),
    };
    try {
      await this.#lanes.get(LANE_OF[entry.kind])?.run(async () => {
        if (isUnderWay(entry)) entry.state = "Running";
        await order.run(running);
      }, signal);
      this.#end(entry, signal.aborted ? "Cancelled" : "Done", undefined);
    } catch (error) {
      const isKnown = error instanceof NvrdError;
      if (!isKnown && !signal.aborted)
        log.error({ err: error, task: entry.kind }, `a task failed: ${errorText(error)}`);
      const reason = isKnown ? error.message : "it cannot go on: the log says why";
      this.#end(entry, signal.aborted ? "Cancelled" : "Failed", signal.aborted ? undefined : reason);
    }
  }

  #end(entry: Entry, state: "Done" | "Failed" | "Cancelled", error: string | undefined): void {
    if (!isUnderWay(entry)) return;
    const { clock, onNotice } = this.#options;
    Object.assign(entry, { state, error, canCancel: false, endedUs: clock.nowUs() });
    if (state === "Done") entry.progress = 1;
    onNotice({ task: entry, what: "ended" });
  }

  #requireRoom(owner: TaskOwner | undefined): void {
    const underWay = [...this.#entries.values()].filter(isUnderWay);
    const own = underWay.filter((entry) => entry.owner?.id === owner?.id);
    const hint = "wait until one has ended, or cancel one: GET /api/tasks lists them";
    if (own.length >= UNDER_WAY_PER_USER_MAX)
      throw new NvrdError("TOO_MANY_REQUESTS", `${own.length} tasks of yours are under way`, { hint });
    if (underWay.length >= UNDER_WAY_MAX)
      throw new NvrdError("TOO_MANY_REQUESTS", `${underWay.length} tasks are under way`, { hint });
  }

  #forgetOld(): void {
    const nowUs = this.#options.clock.nowUs();
    const ended = [...this.#entries.values()].filter((entry) => !isUnderWay(entry));
    for (const entry of ended) if (nowUs - (entry.endedUs ?? nowUs) > KEPT_US) this.#forget(entry);
    for (const entry of ended) if (this.#entries.size > TASKS_KEPT_MAX) this.#forget(entry);
  }

  #forget(entry: Entry): void {
    if (!this.#entries.delete(entry.id)) return;
    entry.onForgotten?.(entry.id);
  }
}

function isUnderWay({ state }: Pick<Task, "state">): boolean {
  return state === "Waiting" || state === "Running";
}

function observedTask(observed: Observed): Task | undefined {
  const now = observed.read();
  if (now === undefined) return undefined;
  if (now.startedUs !== observed.startedUs) {
    observed.id = newGuid();
    observed.startedUs = now.startedUs;
  }
  const { cancel, ...task } = now;
  return { ...task, id: observed.id, canCancel: cancel !== undefined };
}
