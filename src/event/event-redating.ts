import * as v from "valibot";
import type { Guid } from "../base/index.js";
import { positionAfter, positionBefore, SEQUENCE_MAX } from "./event-key.js";
import type { EventStore } from "./event-store.js";

/** Events moved in one commit; others are written in between. */
const EVENTS_A_STEP = 200;
const META_KEY = Buffer.from("redating");

const whole = v.pipe(v.number(), v.safeInteger());
const position = v.object({ timeUs: v.pipe(whole, v.minValue(0)), sequence: v.pipe(whole, v.minValue(0)) });
const shiftSchema = v.object({
  fromUs: whole,
  toUs: whole,
  shiftUs: whole,
  /** The last event that was raised before the clock was known. */
  lastSequence: whole,
  /** Where to go on; null: at the beginning. */
  next: v.nullable(position),
  moved: whole,
  isDone: v.boolean(),
});
const noteSchema = v.object({
  bootId: v.string(),
  firstSequence: whole,
  shift: v.nullable(shiftSchema),
});

/** How the times of a boot become true ones: those of `[fromUs, toUs]`, Unix µs, move by `shiftUs`. */
export interface EventShift {
  readonly fromUs: number;
  readonly toUs: number;
  readonly shiftUs: number;
}

type Note = Readonly<v.InferOutput<typeof noteSchema>>;

/**
 * Moves the events of a boot to their true times, once these are known: as its recordings are. It is noted in the log how far that
 * has come, in the same commits, so that a crash neither leaves an event out nor moves one twice.
 */
export class EventRedating {
  readonly #store: EventStore;
  #note: Note;
  #isNoted: boolean;

  /** @param firstSequence The first event of this run. */
  constructor(store: EventStore, { bootId, firstSequence }: { bootId: Guid; firstSequence: number }) {
    this.#store = store;
    const kept = parseNote(store.environment.get("meta", META_KEY));
    this.#isNoted = kept?.bootId === bootId;
    this.#note = kept?.bootId === bootId ? kept : { bootId, firstSequence, shift: null };
  }

  /** How many were moved; undefined while that goes on, or was not asked for. */
  get moved(): number | undefined {
    return this.#note.shift?.isDone === true ? this.#note.shift.moved : undefined;
  }

  /** Asks for it, once a boot. */
  want(shift: EventShift, lastSequence: number): void {
    if (this.#note.shift !== null) return;
    this.#note = { ...this.#note, shift: { ...shift, lastSequence, next: null, moved: 0, isDone: false } };
  }

  /** Moves some events, and says how many, and whether there are more. */
  async step(): Promise<{ readonly moved: number; readonly isMore: boolean }> {
    const { shift, firstSequence } = this.#note;
    // A later run of this boot must know where its events begin.
    if (!this.#isNoted) await this.#store.environment.commit([this.#mark(this.#note)]);
    this.#isNoted = true;
    if (shift === null || shift.isDone) return { moved: 0, isMore: false };
    if (shift.next === null) await this.#store.indexRecent();
    const isLater = shift.shiftUs > 0;
    const first = { timeUs: Math.max(0, shift.fromUs), sequence: 0 };
    const last = { timeUs: shift.toUs, sequence: SEQUENCE_MAX };
    // What was moved lies behind: none is met again.
    const range = isLater ? { from: first, to: shift.next ?? last } : { from: shift.next ?? first, to: last };
    const found = this.#store.positions({ ...range, limit: EVENTS_A_STEP, reverse: isLater });
    const own = found.filter(
      ({ sequence, timeUs }) =>
        sequence >= firstSequence && sequence <= shift.lastSequence && timeUs + shift.shiftUs >= 0,
    );
    const end = found.at(-1);
    const isDone = end === undefined || found.length < EVENTS_A_STEP;
    const next = isDone ? shift.next : isLater ? positionBefore(end) : positionAfter(end);
    const note = { ...this.#note, shift: { ...shift, next, moved: shift.moved + own.length, isDone } };
    await this.#store.move(own, shift.shiftUs, this.#mark(note));
    this.#note = note;
    return { moved: own.length, isMore: !isDone };
  }

  #mark(note: Note) {
    return { table: "meta", key: META_KEY, value: Buffer.from(JSON.stringify(note)) } as const;
  }
}

function parseNote(value: Buffer | undefined): Note | undefined {
  if (value === undefined) return undefined;
  try {
    const parsed = v.safeParse(noteSchema, JSON.parse(value.toString("utf8")));
    return parsed.success ? parsed.output : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // as without a note: the events of this run alone are moved
    throw error;
  }
}
