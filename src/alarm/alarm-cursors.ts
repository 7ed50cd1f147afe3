import path from "node:path";
import * as v from "valibot";
import { type Clock, DelayedFile, errorText, type Guid, type Log, readSmallFile } from "../base/index.js";
import type { EventRecord } from "../event/index.js";

/** In the data directory: the last event that was sent to each target. */
export const ALARM_CURSORS_FILE = "alarms.json";
const FORMAT_VERSION = 1;
/** How long a change waits for others before it is saved; after a power cut events of that time are sent twice. */
const SAVE_AFTER_MS = 2_000;
const TARGETS_MAX = 1024;

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const fileSchema = v.object({
  formatVersion: v.literal(FORMAT_VERSION),
  targets: v.pipe(
    v.record(v.string(), v.object({ sequence: whole, timeUs: whole })),
    v.check((targets) => Object.keys(targets).length <= TARGETS_MAX),
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

  constructor({ dataDir, clock, log }: AlarmCursorsOptions) {
    const file = path.join(dataDir, ALARM_CURSORS_FILE);
    this.#path = file;
    this.#log = log;
    this.#file = new DelayedFile({
      file,
      text: () =>
        `${JSON.stringify({ formatVersion: FORMAT_VERSION, targets: Object.fromEntries(this.#cursors) })}\n`,
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
      const { targets } = v.parse(fileSchema, JSON.parse(text));
      this.#cursors = new Map(Object.entries(targets));
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

  /** Forgets deleted targets. */
  retain(targetIds: ReadonlySet<Guid>): void {
    for (const id of [...this.#cursors.keys()]) {
      if (targetIds.has(id)) continue;
      this.#cursors.delete(id);
      this.#file.changed();
    }
  }
}
