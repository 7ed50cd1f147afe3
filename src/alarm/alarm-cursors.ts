import path from "node:path";
import * as v from "valibot";
import { type Clock, DelayedFile, errorText, type Guid, type Log, readSmallFile } from "../base/index.js";
import type { EventRecord } from "../event/index.js";
import type { AlarmResult } from "./alarm-state.js";

/** In the data directory: the last event that was sent to each target. */
export const ALARM_CURSORS_FILE = "alarms.json";
const FORMAT_VERSION = 1;
/** How long a change waits for others before it is saved; after a power cut events of that time are sent twice. */
const SAVE_AFTER_MS = 2_000;
const TARGETS_MAX = 1024;
const PROBLEM_LENGTH_MAX = 500;

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const fileSchema = v.object({
  formatVersion: v.literal(FORMAT_VERSION),
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
  readonly #path: string;
  readonly #log: Log;
  readonly #file: DelayedFile;
  #cursors = new Map<Guid, AlarmCursor>();
  #results = new Map<Guid, AlarmResult>();

  constructor({ dataDir, clock, log }: AlarmCursorsOptions) {
    const file = path.join(dataDir, ALARM_CURSORS_FILE);
    this.#path = file;
    this.#log = log;
    this.#file = new DelayedFile({
      file,
      text: () =>
        `${JSON.stringify({
          formatVersion: FORMAT_VERSION,
          targets: Object.fromEntries(this.#cursors),
          results: Object.fromEntries(this.#results),
        })}\n`,
      delayMs: SAVE_AFTER_MS,
      clock,
      onFailed: (error) =>
        log.warn(
          { path: file, error: errorText(error) },
          "the state of the alarms cannot be saved: after a restart some may be sent twice",
        ),
    });
  }

  /** Reads the stored state. Without it, events from before this start are not sent. */
  start(): void {
    try {
      const text = readSmallFile(this.#path);
      if (text === undefined) return;
      const { targets, results = {} } = v.parse(fileSchema, JSON.parse(text));
      this.#cursors = new Map(Object.entries(targets));
      this.#results = new Map(
        Object.entries(results).map(([id, { timeUs, isTest, problem }]) => [id, { timeUs, isTest, problem }]),
      );
    } catch (error) {
      this.#log.warn(
        { path: this.#path, error: errorText(error) },
        "the state of the alarms is lost: alarms from before this start are not sent",
      );
    }
  }

  async stop(): Promise<void> {
    await this.#file.stop();
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
