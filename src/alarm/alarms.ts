import { isDeepStrictEqual } from "node:util";
import {
  type Clock,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  newGuid,
  setTimeLimit,
  US_PER_MINUTE,
  US_PER_MS,
  withAnyOf,
} from "../base/index.js";
import { EVENT_TYPES, type EventLog, type EventRecord, type EventSubscription } from "../event/index.js";
import type { AlarmTarget, LocalClock, Site, SiteStore } from "../site/index.js";
import { type AlarmCursor, AlarmCursors } from "./alarm-cursors.js";
import { AlarmOutbox, WAITING_EVENTS_MAX } from "./alarm-outbox.js";
import { isSelected, queryOf, TARGET_FIELD } from "./alarm-selection.js";
import { SEND_TIMEOUT_MS, type SendAlarm } from "./alarm-sender.js";
import type { AlarmControl, AlarmResult, AlarmTargetState, AlarmTestResult } from "./alarm-state.js";
import { eventAgeUsMax } from "./sending-times.js";

export const TESTS_PER_MINUTE_MAX = 12;

export interface AlarmsOptions {
  readonly site: Pick<SiteStore, "current" | "onChange">;
  readonly events: Pick<EventLog, "onEvent" | "raise" | "search">;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly send: SendAlarm;
  /** Local time; default: the machine's. */
  readonly local?: LocalClock;
}

/** Sends events to the alarm targets of the configuration, each at its own pace. */
export class Alarms implements AlarmControl {
  readonly #options: AlarmsOptions;
  readonly #log: Log;
  readonly #cursors: AlarmCursors;
  readonly #outboxes = new Map<Guid, AlarmOutbox>();
  readonly #stopping = new AbortController();
  #subscription: EventSubscription | undefined;
  #caughtUp: Promise<void> = Promise.resolve();
  /** When tests were asked for within the last minute, monotonic. */
  #testedUs: number[] = [];

  constructor(options: AlarmsOptions) {
    this.#options = options;
    this.#log = options.log.child({ part: "alarms" });
    this.#cursors = new AlarmCursors({ ...options, log: this.#log });
    options.site.onChange("alarms", (site) => {
      if (this.#subscription !== undefined) this.#follow(site);
    });
  }

  start(): void {
    const { events, site } = this.#options;
    this.#cursors.start();
    const cursors = new Map(site.current.alarmTargets.map(({ id }) => [id, this.#cursors.of(id)]));
    this.#follow(site.current);
    let firstLive = Number.POSITIVE_INFINITY;
    this.#subscription = events.onEvent((event) => {
      firstLive = Math.min(firstLive, event.sequence);
      this.#enqueue(event);
    });
    const catchUp = async () => {
      for (const [id, cursor] of cursors)
        if (cursor !== undefined) await this.#catchUp(id, cursor, () => firstLive);
    };
    this.#caughtUp = catchUp();
  }

  /** Events not sent yet are sent after the next start. */
  async stop(): Promise<void> {
    this.#subscription?.close();
    this.#subscription = undefined;
    this.#stopping.abort();
    await this.#caughtUp;
    await Promise.all([...this.#outboxes.values()].map((outbox) => outbox.stop()));
    this.#outboxes.clear();
    await this.#cursors.stop();
  }

  states(): readonly AlarmTargetState[] {
    return [...this.#outboxes.values()].map((outbox) => outbox.state);
  }

  lastResult(id: Guid): AlarmResult | undefined {
    return this.#cursors.resultOf(id);
  }

  async test(id: Guid | undefined): Promise<readonly AlarmTestResult[]> {
    this.#takeTest();
    const { alarmTargets } = this.#options.site.current;
    const chosen =
      id === undefined
        ? alarmTargets.filter(({ isEnabled }) => isEnabled)
        : alarmTargets.filter((target) => target.id === id);
    if (id !== undefined && chosen.length === 0)
      throw new NvrdError("NOT_FOUND", `there is no alarm target ${id}`, {
        hint: "see GET /configure/alarms",
      });
    return await Promise.all(chosen.map((target) => this.#testOne(target)));
  }

  /** Tests are requested manually; more requests than this are abuse. */
  #takeTest(): void {
    const nowUs = this.#options.clock.monotonicUs();
    this.#testedUs = this.#testedUs.filter((us) => us > nowUs - US_PER_MINUTE);
    if (this.#testedUs.length >= TESTS_PER_MINUTE_MAX) {
      const retryAfterMs = Math.ceil(((this.#testedUs[0] ?? nowUs) + US_PER_MINUTE - nowUs) / US_PER_MS);
      throw new NvrdError(
        "TOO_MANY_REQUESTS",
        `alarms can be tested at most ${TESTS_PER_MINUTE_MAX} times a minute`,
        {
          retryAfterMs,
        },
      );
    }
    this.#testedUs.push(nowUs);
  }

  async #testOne(target: AlarmTarget): Promise<AlarmTestResult> {
    const { clock, send, site } = this.#options;
    const { name } = target;
    const timeout = new AbortController();
    const timer = setTimeLimit(clock, () => timeout.abort(), SEND_TIMEOUT_MS);
    const message = {
      id: newGuid(),
      server: site.current.server,
      target: name,
      sentUs: clock.nowUs(),
      isTest: true,
      events: [],
      omittedEvents: 0,
    };
    try {
      await withAnyOf([timeout.signal, this.#stopping.signal], (signal) =>
        send(target.delivery, message, signal),
      );
      return this.#tested(target, undefined);
    } catch (error) {
      return this.#tested(target, errorText(error));
    } finally {
      timer.clear();
    }
  }

  #tested({ id, name }: AlarmTarget, problem: string | undefined): AlarmTestResult {
    this.#cursors.noteResult(id, { timeUs: this.#options.clock.nowUs(), isTest: true, problem });
    return { id, name, problem };
  }

  #enqueue(event: EventRecord): void {
    if (event.typeId === EVENT_TYPES.keepAlive.id) return;
    for (const outbox of this.#outboxes.values())
      if (isSelected(outbox.target, event, this.#options.local)) outbox.add(event);
  }

  /** Sends a target the events that the previous run could not send. */
  async #catchUp(id: Guid, cursor: AlarmCursor, firstLive: () => number): Promise<void> {
    const { clock, events } = this.#options;
    const nowUs = clock.nowUs();
    const target = this.#outboxes.get(id)?.target;
    if (target === undefined) return;
    const fromUs = Math.max(nowUs - eventAgeUsMax(target), cursor.timeUs);
    const query = { ...queryOf(target), fromUs, toUs: nowUs, limit: WAITING_EVENTS_MAX, fromBegin: false };
    try {
      for await (const batch of events.search(query)) {
        const outbox = this.#outboxes.get(id);
        if (this.#stopping.signal.aborted || outbox === undefined) return;
        for (const event of batch) {
          const isNew = event.sequence > cursor.sequence && event.sequence < firstLive();
          if (isNew && isSelected(outbox.target, event, this.#options.local)) outbox.add(event);
        }
      }
    } catch (error) {
      this.#log.warn(
        { target: target.name, error: errorText(error) },
        "alarms from before this start cannot be read and are not sent",
      );
    }
  }

  /** One outbox per target; if a target changes, its new outbox takes over the waiting events. */
  #follow(site: Site): void {
    const wanted = new Map(site.alarmTargets.map((target) => [target.id, target]));
    for (const [id, outbox] of [...this.#outboxes]) {
      const target = wanted.get(id);
      if (target !== undefined && isDeepStrictEqual(target, outbox.target)) continue;
      this.#outboxes.delete(id);
      void outbox.stop();
      if (target !== undefined) this.#open(target, outbox.takeWaiting());
    }
    for (const [id, target] of wanted) if (!this.#outboxes.has(id)) this.#open(target, []);
    this.#cursors.retain(new Set(wanted.keys()));
  }

  #open(target: AlarmTarget, waiting: readonly EventRecord[]): void {
    const { clock, send, site, local } = this.#options;
    const outbox = new AlarmOutbox({
      target,
      server: () => site.current.server,
      send,
      clock,
      ...(local === undefined ? {} : { local }),
      onSettled: (event) => this.#cursors.settle(target.id, event),
      onResult: (result) => this.#cursors.noteResult(target.id, result),
      onTrouble: (problem) => this.#onTrouble(target, problem),
      onRefused: ({ sequence }, problem) =>
        this.#log.warn(
          { target: target.name, event: sequence, problem },
          "an alarm is refused by a target that takes others: left out",
        ),
    });
    this.#outboxes.set(target.id, outbox);
    // A new target gets events from now on, even if the next event comes just before the end of this run.
    if (this.#cursors.of(target.id) === undefined)
      this.#cursors.settle(target.id, { sequence: 0, timeUs: clock.nowUs() });
    for (const event of waiting) if (isSelected(target, event, local)) outbox.add(event);
  }

  #onTrouble({ id, name }: AlarmTarget, problem: string | undefined): void {
    const { events } = this.#options;
    const about = { fields: { [TARGET_FIELD]: id } };
    if (problem === undefined) {
      this.#log.info({ target: name }, "alarms are accepted again");
      events.raise({ typeId: EVENT_TYPES.alarmsWork.id, comment: name, ...about });
      return;
    }
    this.#log.warn({ target: name, problem }, "alarms are not accepted: retrying");
    events.raise({ typeId: EVENT_TYPES.alarmsFailing.id, comment: `${name}: ${problem}`, ...about });
  }
}
