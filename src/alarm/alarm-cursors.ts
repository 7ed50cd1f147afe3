import * as v from "valibot";
import type { Clock, Guid, Log } from "../base/index.js";
import type { EventRecord } from "../event/index.js";
import { KeptFile, keptKind } from "../kept/index.js";
import type { AlarmResult } from "./alarm-state.js";

/** In the data directory: the last event that was sent to each target. */
export const ALARM_CURSORS_FILE = "alarms.json";
/** How long a change waits for others before it is saved; after a power cut events of that time are sent twice. */
const SAVE_AFTER_MS = 2_000;
const TARGETS_MAX = 1024;
const PROBLEM_LENGTH_MAX = 500;

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const fileSchema = v.object({
  targets: v.pipe(
    v.record(v.string(), v.object({ sequence: whole, timeUs: whole })),
    v.check((targets) => Object.keys(targets).length <= TARGETS_MAX),
  ),
  results: v.optional(
    v.pipe(
      v.record(
        v.string(),
        v.object({
          timeUs: whole,
          isTest: v.boolean(),
          problem: v.optional(v.pipe(v.string(), v.maxLength(PROBLEM_LENGTH_MAX))),
        }),
      ),
      v.check((results) => Object.keys(results).length <= TARGETS_MAX),
    ),
  ),
});

export const ALARM_CURSORS_KIND = keptKind({
  name: ALARM_CURSORS_FILE,
  says: "the last event that was sent to each target",
  policy: "forget",
  damaged: "the state of the alarms is lost: alarms from before this start are not sent",
  unsaved: "the state of the alarms cannot be saved: after a restart some may be sent twice",
  severity: "warn",
  schema: fileSchema,
  delayMs: SAVE_AFTER_MS,
});

/** The last event that was sent to a target, or omitted. */
export interface AlarmCursor {
  readonly sequence: number;
  readonly timeUs: number;
}

export interface AlarmCursorsOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The last event sent to each target, so that a restart sends what the previous run could not. */
export class AlarmCursors {
  readonly #file: KeptFile<typeof fileSchema>;
  #cursors = new Map<Guid, AlarmCursor>();
  #results = new Map<Guid, AlarmResult>();

  constructor({ dataDir, clock, log }: AlarmCursorsOptions) {
    const content = () => ({
      targets: Object.fromEntries(this.#cursors),
      results: Object.fromEntries(this.#results),
    });
    this.#file = new KeptFile(ALARM_CURSORS_KIND, { directory: dataDir, clock, log, content });
  }

  /** Reads the stored state. Without it, events from before this start are not sent. */
  start(): void {
    const { targets = {}, results = {} } = this.#file.read() ?? {};
    this.#cursors = new Map(Object.entries(targets));
    this.#results = new Map(
      Object.entries(results).map(([id, { timeUs, isTest, problem }]) => [id, { timeUs, isTest, problem }]),
    );
  }

  async stop(): Promise<void> {
    await this.#file.flush();
  }

  of(targetId: Guid): AlarmCursor | undefined {
    return this.#cursors.get(targetId);
  }

  /** Records that a target has got all events up to this one. The value never decreases. */
  settle(targetId: Guid, { sequence, timeUs }: Pick<EventRecord, "sequence" | "timeUs">): void {
    if (sequence <= (this.#cursors.get(targetId)?.sequence ?? -1)) return;
    this.#cursors.set(targetId, { sequence, timeUs });
    this.#file.changed();
  }

  /** How the last message to a target went. */
  resultOf(targetId: Guid): AlarmResult | undefined {
    return this.#results.get(targetId);
  }

  noteResult(targetId: Guid, { timeUs, isTest, problem }: AlarmResult): void {
    this.#results.set(targetId, { timeUs, isTest, problem: problem?.slice(0, PROBLEM_LENGTH_MAX) });
    this.#file.changed();
  }

  /** Forgets deleted targets. */
  retain(targetIds: ReadonlySet<Guid>): void {
    for (const id of [...this.#cursors.keys(), ...this.#results.keys()]) {
      if (targetIds.has(id)) continue;
      this.#cursors.delete(id);
      this.#results.delete(id);
      this.#file.changed();
    }
  }
}
