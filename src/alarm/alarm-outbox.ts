import {
  type Clock,
  type ClockTimer,
  errorText,
  NvrdError,
  setTimeLimit,
  US_PER_HOUR,
  US_PER_MS,
  withAnyOf,
} from "../base/index.js";
import type { EventRecord } from "../event/index.js";
import type { AlarmDelivery, AlarmTarget, LocalClock } from "../site/index.js";
import type { AlarmMessage } from "./alarm-message.js";
import { SEND_TIMEOUT_MS } from "./alarm-sender.js";
import type { AlarmResult, AlarmTargetState } from "./alarm-state.js";
import { MessageChoice, type MessageDraft, type RefusedEvent } from "./message-choice.js";
import { Refusal } from "./refusal.js";
import { eventAgeUsMax, heldBackForMs, localTime } from "./sending-times.js";

/** Maximum number of events waiting for one target; beyond it the oldest are omitted and counted. */
export const WAITING_EVENTS_MAX = 500;
/** Simultaneous events are sent together: 64 cameras behind one switch are one mail. */
export const COLLECT_MS = 2_000;
const RETRY_FIRST_MS = 5_000;
const RETRY_LONGEST_MS = 15 * 60_000;
/** First wait before an event is tried again at which a server failed that has taken another message since. */
const AGAIN_FIRST_MS = 30_000;
/** A receiver may ask for more patience than that, up to this. */
const RETRY_ASKED_MS_MAX = 6 * 3_600_000;

/** Who gets events, by a delivery of the outbox's own kind. */
export interface OutboxTarget<Delivery> extends Omit<AlarmTarget, "delivery"> {
  readonly delivery: Delivery;
}

export interface AlarmOutboxOptions<Delivery> {
  readonly target: OutboxTarget<Delivery>;
  readonly server: () => AlarmMessage["server"];
  /** Rejects when it failed; an NvrdError with `retryAfterMs` is not tried again before. */
  readonly send: (delivery: Delivery, message: AlarmMessage, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  /** Local time; default: the machine's. */
  readonly local?: LocalClock;
  /** Events up to this one were sent or omitted. */
  readonly onSettled: (event: EventRecord) => void;
  /** A message was tried. */
  readonly onResult?: (result: AlarmResult) => void;
  /** Called when the first attempt of a message fails, and when a message is accepted after that. */
  readonly onTrouble: (problem: string | undefined) => void;
  /** The receiver refuses this event and accepts others: it is left out. */
  readonly onRefused: (event: EventRecord, problem: string) => void;
}

/** The events for one target: collected, within its rate, retried until accepted or too old. */
export class AlarmOutbox<Delivery = AlarmDelivery> {
  readonly #options: AlarmOutboxOptions<Delivery>;
  readonly #stopping = new AbortController();
  readonly #choice = new MessageChoice();
  #waiting: EventRecord[] = [];
  /** When messages were sent within the last hour, monotonic. */
  #sentUs: number[] = [];
  #omittedSinceMessage = 0;
  #omitted = 0;
  #lastSentUs: number | undefined;
  #problem: string | undefined;
  #retryMs = RETRY_FIRST_MS;
  /** How long an event that alone is refused waits for its next try; 0: no longer than others. */
  #againMs = 0;
  /** How long the receiver wants to be left alone. */
  #askedMs = 0;
  /** The last event that was sent or omitted. */
  #done: EventRecord | undefined;
  #timer: ClockTimer | undefined;
  /** The timer waits for the hours in which messages are sent. */
  #isWaitingForQuiet = false;
  #sending: Promise<void> | undefined;

  constructor(options: AlarmOutboxOptions<Delivery>) {
    this.#options = options;
  }

  get target(): OutboxTarget<Delivery> {
    return this.#options.target;
  }

  get state(): AlarmTargetState {
    const { id, name, isEnabled } = this.target;
    return {
      ...{ id, name, isEnabled },
      isFailing: this.#problem !== undefined,
      isLimited: this.#limitedForMs() > 0,
      isQuiet: this.#quietForMs() > 0,
      waitingEvents: this.#waiting.length,
      omittedEvents: this.#omitted,
      lastSentUs: this.#lastSentUs,
      problem: this.#problem,
    };
  }

  /** Does not block or throw. */
  add(event: EventRecord): void {
    // Events of the previous run arrive when new ones have already been raised.
    const behind = this.#waiting.findLastIndex((known) => known.sequence < event.sequence);
    this.#waiting.splice(behind + 1, 0, event);
    if (this.#waiting.length > WAITING_EVENTS_MAX) this.#leaveOut(1);
    if (this.#sending !== undefined) return;
    const isUrgent = this.#isWaitingForQuiet && this.#quietForMs() === 0;
    if (this.#timer !== undefined && !isUrgent) return;
    this.#timer?.clear();
    this.#sendIn(Math.max(COLLECT_MS, this.#heldForMs()));
  }

  /** Waiting events are sent after the next start. */
  async stop(): Promise<void> {
    this.#timer?.clear();
    this.#stopping.abort();
    await this.#sending;
  }

  /** Returns the waiting events, for an outbox that replaces this one. */
  takeWaiting(): readonly EventRecord[] {
    return this.#waiting.splice(0);
  }

  #sendIn(delayMs: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#isWaitingForQuiet = this.#quietForMs() > 0;
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      const heldMs = this.#quietForMs();
      if (heldMs > 0) return this.#sendIn(heldMs);
      this.#sending = this.#sendNext().finally(() => {
        this.#sending = undefined;
        this.#goOn();
      });
    }, delayMs);
  }

  #goOn(): void {
    if (this.#waiting.length === 0) return;
    const retryMs = this.#problem === undefined ? 0 : Math.max(this.#retryMs, this.#askedMs);
    this.#sendIn(Math.max(COLLECT_MS, retryMs, this.#againMs, this.#heldForMs()));
  }

  async #sendNext(): Promise<void> {
    const { clock, send, target, server } = this.#options;
    this.#leaveOutOld();
    if (this.#waiting.length === 0) return;
    const draft = this.#choice.next(this.#waiting, this.#omittedSinceMessage);
    const { id, events, omittedEvents } = draft;
    const about = { server: server(), target: target.name, sentUs: clock.nowUs(), isTest: false };
    const timeout = new AbortController();
    const timer = setTimeLimit(clock, () => timeout.abort(), SEND_TIMEOUT_MS);
    try {
      await withAnyOf([timeout.signal, this.#stopping.signal], (signal) =>
        send(target.delivery, { ...about, id, events, omittedEvents }, signal),
      );
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#onNotTaken(draft, error);
      return;
    } finally {
      timer.clear();
    }
    this.#onSent(draft);
  }

  #onNotTaken(draft: MessageDraft, error: unknown): void {
    const problem = errorText(error);
    const refused = error instanceof Refusal ? this.#choice.refused(draft) : undefined;
    this.#options.onResult?.({ timeUs: this.#options.clock.nowUs(), isTest: false, problem });
    const isTriedAgain = error instanceof Refusal && this.#choice.isTryingAgain;
    this.#againMs =
      isTriedAgain && error.mayPass
        ? Math.min(Math.max(this.#againMs * 2, AGAIN_FIRST_MS), RETRY_LONGEST_MS)
        : 0;
    if (refused !== undefined) this.#leaveOutRefused(refused, problem);
    else if (!isTriedAgain) this.#onFailed(problem, askedMs(error));
  }

  #leaveOutRefused({ event, isCounted }: RefusedEvent, problem: string): void {
    this.#omitted += 1;
    if (!isCounted) this.#omittedSinceMessage += 1;
    this.#remove([event]);
    this.#options.onRefused(event, problem);
  }

  #onFailed(problem: string, askedForMs: number): void {
    const isNew = this.#problem === undefined;
    this.#retryMs = isNew ? RETRY_FIRST_MS : Math.min(this.#retryMs * 2, RETRY_LONGEST_MS);
    this.#askedMs = askedForMs;
    this.#problem = problem;
    if (isNew) this.#options.onTrouble(problem);
  }

  #onSent(draft: MessageDraft): void {
    const { clock, onTrouble } = this.#options;
    this.#choice.accepted(draft);
    this.#againMs = 0;
    this.#omittedSinceMessage -= draft.omittedEvents - draft.unreportedEvents;
    this.#sentUs.push(clock.monotonicUs());
    this.#lastSentUs = clock.nowUs();
    this.#options.onResult?.({ timeUs: this.#lastSentUs, isTest: false, problem: undefined });
    this.#remove(draft.events);
    if (this.#problem === undefined) return;
    this.#problem = undefined;
    onTrouble(undefined);
  }

  /** Events were sent or are omitted. They are settled when none waits before them. */
  #remove(events: readonly EventRecord[]): void {
    const gone = new Set(events);
    this.#waiting = this.#waiting.filter((event) => !gone.has(event));
    for (const event of events) if (event.sequence > (this.#done?.sequence ?? -1)) this.#done = event;
    const first = this.#waiting[0]?.sequence ?? Number.POSITIVE_INFINITY;
    if (this.#done !== undefined && this.#done.sequence < first) this.#options.onSettled(this.#done);
  }

  #leaveOutOld(): void {
    const oldestUs = this.#options.clock.nowUs() - eventAgeUsMax(this.target);
    const first = this.#waiting.findIndex((event) => event.timeUs >= oldestUs);
    this.#leaveOut(first < 0 ? this.#waiting.length : first);
  }

  #leaveOut(count: number): void {
    if (count === 0) return;
    this.#omitted += count;
    this.#omittedSinceMessage += count;
    this.#remove(this.#waiting.slice(0, count));
  }

  #heldForMs(): number {
    return Math.max(this.#limitedForMs(), this.#quietForMs());
  }

  /** Milliseconds until the hours are looked at again; 0 in those in which messages are sent. */
  #quietForMs(): number {
    const { target, clock, local = localTime } = this.#options;
    return heldBackForMs(target, this.#waiting, { nowUs: clock.nowUs(), local });
  }

  /** Milliseconds until a message may be sent by its rate; 0 if now. */
  #limitedForMs(): number {
    const nowUs = this.#options.clock.monotonicUs();
    this.#sentUs = this.#sentUs.filter((us) => us > nowUs - US_PER_HOUR);
    const { perHourMax } = this.target;
    if (this.#sentUs.length < perHourMax) return 0;
    const freeUs = (this.#sentUs.at(-perHourMax) ?? nowUs) + US_PER_HOUR;
    return Math.ceil((freeUs - nowUs) / US_PER_MS);
  }
}

function askedMs(error: unknown): number {
  const asked = error instanceof NvrdError ? (error.retryAfterMs ?? 0) : 0;
  return Math.min(asked, RETRY_ASKED_MS_MAX);
}
