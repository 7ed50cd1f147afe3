import { type Guid, newGuid } from "../base/index.js";
import type { EventRecord } from "../event/index.js";

/** Events of one message. */
export const MESSAGE_EVENTS_MAX = 50;
/** A refused message is tried with so much fewer events, and one after an accepted one with so much more. */
const STEP = 4;

/** An event is left out when it was refused alone so often after another message was accepted: a server may fail now and then. */
const AGAIN_MAX = 3;

/** What is tried next; the same until it is accepted or refused. */
export interface MessageDraft {
  readonly id: Guid;
  /** Empty: the message only counts omitted events. */
  readonly events: readonly EventRecord[];
  readonly omittedEvents: number;
  /** Those of the omitted ones that are not left out yet. */
  readonly unreportedEvents: number;
}

/** What follows the refusal of an event that was sent alone. */
type Trial =
  /** A message without events shows whether the receiver takes anything. */
  | { readonly next: "without"; readonly suspect: EventRecord }
  /** It did not. Each of the others is tried alone, in order. */
  | { readonly next: "other"; readonly suspect: EventRecord; readonly at: number }
  /** Another message was accepted: the event is tried again. */
  | {
      readonly next: "again";
      readonly suspect: EventRecord;
      readonly isCounted: boolean;
      readonly refused: number;
    };

/** An event that is left out. */
export interface RefusedEvent {
  readonly event: EventRecord;
  /** A message has already counted the event as omitted. */
  readonly isCounted: boolean;
}

/**
 * Chooses the events of each message, so that what a receiver never takes does not hold back what is behind it. A refused message is
 * tried with fewer events until one is refused alone. That one is left out only when the receiver has accepted another message
 * meanwhile and goes on refusing it: where everything is refused, the receiver's settings are wrong and nothing is left out.
 */
export class MessageChoice {
  #draft: MessageDraft | undefined;
  #eventsMax = MESSAGE_EVENTS_MAX;
  #trial: Trial | undefined;

  /** @param waiting At least one event, in order. @param omitted Events that were omitted since the last accepted message. */
  next(waiting: readonly EventRecord[], omitted: number): MessageDraft {
    this.#forgetGone(waiting);
    if (this.#draft !== undefined) return this.#draft;
    const unreportedEvents = this.#trial?.next === "without" ? 1 : 0;
    const events = this.#eventsOf(waiting);
    this.#draft = { id: newGuid(), events, omittedEvents: omitted + unreportedEvents, unreportedEvents };
    return this.#draft;
  }

  /** The receiver has accepted a message since it refused the event that is tried again. */
  get isTryingAgain(): boolean {
    return this.#trial?.next === "again";
  }

  /** The draft was accepted. */
  accepted({ events }: MessageDraft): void {
    this.#draft = undefined;
    this.#eventsMax = Math.min(MESSAGE_EVENTS_MAX, Math.max(this.#eventsMax, events.length) * STEP);
    const trial = this.#trial;
    const isOver = trial === undefined || trial.next === "again";
    this.#trial = isOver
      ? undefined
      : { next: "again", suspect: trial.suspect, isCounted: trial.next === "without", refused: 0 };
  }

  /** The draft was refused. Returns the event that is to be left out, if it is proven that it alone is refused. */
  refused({ events }: MessageDraft): RefusedEvent | undefined {
    this.#draft = undefined;
    const trial = this.#trial;
    const [first] = events;
    if (trial === undefined) {
      this.#eventsMax = Math.max(1, Math.floor(events.length / STEP));
      if (events.length === 1 && first !== undefined) this.#trial = { next: "without", suspect: first };
      return undefined;
    }
    const { suspect } = trial;
    if (trial.next === "again") {
      const count = trial.refused + 1;
      this.#trial = count < AGAIN_MAX ? { ...trial, refused: count } : undefined;
      return this.#trial === undefined ? { event: suspect, isCounted: trial.isCounted } : undefined;
    }
    this.#trial = { next: "other", suspect, at: trial.next === "other" ? trial.at + 1 : 1 };
    return undefined;
  }

  #eventsOf(waiting: readonly EventRecord[]): readonly EventRecord[] {
    const trial = this.#trial;
    if (trial?.next === "without") return [];
    if (trial?.next === "again") return [trial.suspect];
    const other = trial === undefined ? undefined : waiting[trial.at];
    if (other !== undefined) return [other];
    // All were refused, each alone: from the first again.
    this.#trial = undefined;
    return waiting.slice(0, this.#eventsMax);
  }

  /** Events may be left out while a message waits for its next try. */
  #forgetGone(waiting: readonly EventRecord[]): void {
    const left = new Set(waiting);
    if (this.#trial !== undefined && !left.has(this.#trial.suspect)) {
      this.#trial = undefined;
      this.#draft = undefined;
    }
    if (this.#draft === undefined || this.#draft.events.length === 0) return;
    const events = this.#draft.events.filter((event) => left.has(event));
    this.#draft = events.length === 0 ? undefined : { ...this.#draft, events };
  }
}
