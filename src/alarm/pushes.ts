import { isDeepStrictEqual } from "node:util";
import { type Principal, SitePrincipals } from "../access/index.js";
import {
  type Clock,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  newGuid,
  Semaphore,
  setTimeLimit,
  US_PER_MINUTE,
  US_PER_MS,
  withAnyOf,
} from "../base/index.js";
import { EVENT_TYPES, type EventLog, type EventRecord, type EventSubscription } from "../event/index.js";
import { LOCKED_SECRET, type LocalClock, type Site, type SiteStore } from "../site/index.js";
import type { AlarmMessage } from "./alarm-message.js";
import { AlarmOutbox } from "./alarm-outbox.js";
import { isSelected } from "./alarm-selection.js";
import { SEND_TIMEOUT_MS } from "./alarm-sender.js";
import type { PushControl, PushResult } from "./push-control.js";
import { PushFile } from "./push-file.js";
import { pushMessage } from "./push-message.js";
import { PushGone, type SendPush } from "./push-sender.js";
import {
  PUSHES_MAX,
  PUSHES_PER_HOUR_MAX,
  PUSHES_PER_USER_MAX,
  type PushSubscription,
} from "./push-subscription.js";
import { Refusal } from "./refusal.js";

/** Test messages of one user in a minute. */
export const PUSH_TESTS_PER_MINUTE_MAX = 12;
/** Messages under way at once, of all users and of one: who names a push service that never answers delays nobody else. */
const SENDING_MAX = 16;
const SENDING_PER_USER_MAX = 2;

export interface PushesOptions {
  readonly site: Pick<SiteStore, "current" | "onChange">;
  readonly events: Pick<EventLog, "onEvent">;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly send: SendPush;
  /** An event as a user may receive it; undefined: the user may not. */
  readonly shown: (principal: Principal, event: EventRecord) => EventRecord | undefined;
  /** Local time; default: the machine's. */
  readonly local?: LocalClock;
}

type Outbox = AlarmOutbox<PushSubscription>;

/** Notifies browsers of events, each by its user's choice and rights. */
export class Pushes implements PushControl {
  readonly #options: PushesOptions;
  readonly #log: Log;
  readonly #file: PushFile;
  readonly #outboxes = new Map<Guid, Outbox>();
  readonly #results = new Map<Guid, PushResult>();
  readonly #testedUs = new Map<Guid, readonly number[]>();
  readonly #turns = new Semaphore({ atOnce: SENDING_MAX, waitingMax: PUSHES_MAX });
  readonly #turnsOfUsers = new Map<Guid, Semaphore>();
  readonly #stopping = new AbortController();
  #principals: SitePrincipals | undefined;
  #events: EventSubscription | undefined;

  constructor(options: PushesOptions) {
    this.#options = options;
    this.#log = options.log.child({ part: "push" });
    this.#file = new PushFile({ dataDir: options.dataDir, log: this.#log });
    options.site.onChange("pushes", (site) => {
      if (this.#events !== undefined) this.#followUsers(site);
    });
  }

  start(): void {
    this.#file.read();
    for (const one of this.#file.all) this.#open(one, []);
    this.#events = this.#options.events.onEvent((event) => this.#enqueue(event));
    this.#followUsers(this.#options.site.current);
  }

  async stop(): Promise<void> {
    this.#events?.close();
    this.#events = undefined;
    this.#stopping.abort();
    await Promise.all([...this.#outboxes.values()].map((outbox) => outbox.stop()));
    this.#outboxes.clear();
    await this.#file.stop();
  }

  async publicKey(): Promise<string> {
    return (await this.#file.key()).publicKey;
  }

  get subscriptions(): readonly PushSubscription[] {
    return this.#file.all;
  }

  resultOf(id: Guid): PushResult | undefined {
    return this.#results.get(id);
  }

  async subscribe(wanted: Omit<PushSubscription, "id" | "sinceUs">): Promise<PushSubscription> {
    const { endpoint } = wanted.address;
    const before = this.#file.all.filter(({ address }) => address.endpoint === endpoint);
    const others = this.#file.all.filter((one) => !before.includes(one));
    const own = others.filter(({ userId }) => userId === wanted.userId).length;
    if (own >= PUSHES_PER_USER_MAX || others.length >= PUSHES_MAX)
      throw new NvrdError("CONFLICT", `${own} browsers of yours and ${others.length} in all get messages`, {
        hint: `remove one: at most ${PUSHES_PER_USER_MAX} of a user and ${PUSHES_MAX} in all`,
      });
    // Only the browser itself knows the address: who sends it is now the one who uses that browser.
    const same = before.find(({ userId }) => userId === wanted.userId);
    const subscription = { ...wanted, id: same?.id ?? newGuid(), sinceUs: this.#options.clock.nowUs() };
    await this.#drop(before.filter((one) => one !== same).map(({ id }) => id));
    await this.change(subscription);
    return subscription;
  }

  async change(subscription: PushSubscription): Promise<void> {
    const present = this.#outboxes.get(subscription.id);
    await this.#file.put(subscription);
    if (present !== undefined && isDeepStrictEqual(present.target.delivery, subscription)) return;
    void present?.stop();
    this.#open(subscription, present?.takeWaiting() ?? []);
  }

  async remove(id: Guid): Promise<void> {
    await this.#drop([id]);
  }

  async test(subscription: PushSubscription): Promise<PushResult> {
    const { clock, site } = this.#options;
    this.#takeTest(subscription.userId);
    const timeout = new AbortController();
    const timer = setTimeLimit(clock, () => timeout.abort(), SEND_TIMEOUT_MS);
    const message: AlarmMessage = {
      ...{ id: newGuid(), server: site.current.server, target: subscription.name, sentUs: clock.nowUs() },
      ...{ isTest: true, events: [], omittedEvents: 0 },
    };
    try {
      await withAnyOf([timeout.signal, this.#stopping.signal], (signal) =>
        this.#send(subscription, message, signal),
      );
      return { timeUs: clock.nowUs(), isTest: true, problem: undefined };
    } catch (error) {
      return this.#failure(true, error);
    } finally {
      timer.clear();
    }
  }

  #takeTest(userId: Guid): void {
    const nowUs = this.#options.clock.monotonicUs();
    const lately = (this.#testedUs.get(userId) ?? []).filter((us) => us > nowUs - US_PER_MINUTE);
    if (lately.length >= PUSH_TESTS_PER_MINUTE_MAX)
      throw new NvrdError("TOO_MANY_REQUESTS", `at most ${PUSH_TESTS_PER_MINUTE_MAX} tests a minute`, {
        retryAfterMs: Math.ceil(((lately[0] ?? nowUs) + US_PER_MINUTE - nowUs) / US_PER_MS),
      });
    this.#testedUs.set(userId, [...lately, nowUs]);
  }

  #enqueue(event: EventRecord): void {
    if (this.#outboxes.size === 0 || event.typeId === EVENT_TYPES.keepAlive.id) return;
    for (const outbox of this.#outboxes.values()) {
      if (!isSelected(outbox.target, event, this.#options.local)) continue;
      const principal = this.#principalOf(outbox.target.delivery.userId);
      if (principal !== undefined && this.#options.shown(principal, event) !== undefined) outbox.add(event);
    }
  }

  /** Who the user is by the configuration of now; undefined: deleted, or locked out. */
  #principalOf(userId: Guid): Principal | undefined {
    const { current } = this.#options.site;
    if (this.#principals?.site !== current) this.#principals = new SitePrincipals(current);
    const user = this.#principals.userById(userId);
    return user === undefined || user.secret === LOCKED_SECRET ? undefined : this.#principals.principal(user);
  }

  /** Sends what the user may see now: rights may have changed since the event came. */
  async #send(subscription: PushSubscription, message: AlarmMessage, signal: AbortSignal): Promise<void> {
    const { shown, send } = this.#options;
    const { id, userId, language, address } = subscription;
    const principal = this.#principalOf(userId);
    if (principal === undefined) return;
    const events = message.events.flatMap((event) => shown(principal, event) ?? []);
    if (events.length === 0 && message.events.length > 0) return;
    const text = pushMessage({ ...message, events }, language, principal);
    try {
      const key = await this.#file.key();
      const work = () => send(address, text, { key, signal });
      await this.#turnsOf(userId).run(() => this.#turns.run(work, signal), signal);
      if (signal.aborted) throw new Error("it takes too long");
      this.#note(id, message.isTest, undefined);
    } catch (error) {
      this.#note(id, message.isTest, error);
      if (error instanceof PushGone) await this.#forget(subscription);
      if (!(error instanceof PushGone) || message.isTest) throw error;
    }
  }

  async #forget({ id, address }: PushSubscription): Promise<void> {
    this.#log.info({ subscription: id, host: new URL(address.endpoint).host }, "a browser has unsubscribed");
    await this.#drop([id]);
  }

  #turnsOf(userId: Guid): Semaphore {
    const known =
      this.#turnsOfUsers.get(userId) ??
      new Semaphore({ atOnce: SENDING_PER_USER_MAX, waitingMax: PUSHES_MAX });
    this.#turnsOfUsers.set(userId, known);
    return known;
  }

  #note(id: Guid, isTest: boolean, error: unknown): void {
    const timeUs = this.#options.clock.nowUs();
    const result =
      error === undefined ? { timeUs, isTest, problem: undefined } : this.#failure(isTest, error);
    this.#results.set(id, result);
  }

  #failure(isTest: boolean, error: unknown): PushResult {
    const isReached = [NvrdError, PushGone, Refusal].some((answer) => error instanceof answer);
    return { timeUs: this.#options.clock.nowUs(), isTest, problem: errorText(error), isReached };
  }

  async #drop(ids: readonly Guid[]): Promise<void> {
    for (const id of ids) {
      const outbox = this.#outboxes.get(id);
      this.#outboxes.delete(id);
      this.#results.delete(id);
      // It may be the outbox's own message that has found the subscription gone.
      outbox?.takeWaiting();
      void outbox?.stop();
    }
    await this.#file.remove(ids);
  }

  /** Subscriptions of deleted users go. */
  #followUsers(site: Site): void {
    const users = new Set(site.users.map(({ id }) => id));
    const gone = this.#file.all.filter(({ userId }) => !users.has(userId)).map(({ id }) => id);
    for (const userId of [...this.#testedUs.keys(), ...this.#turnsOfUsers.keys()]) {
      if (users.has(userId)) continue;
      this.#testedUs.delete(userId);
      this.#turnsOfUsers.delete(userId);
    }
    if (gone.length > 0) void this.#drop(gone).catch((error: unknown) => this.#unkept(error));
  }

  #unkept(error: unknown): void {
    this.#log.warn(
      { error: errorText(error) },
      "subscriptions of a deleted user stay in the file until the next change",
    );
  }

  #open(subscription: PushSubscription, waiting: readonly EventRecord[]): void {
    const { clock, site, local } = this.#options;
    const { id, name, events, channelIds, isToldOfRecorder, quietHours, sendingHours } = subscription;
    const outbox: Outbox = new AlarmOutbox({
      target: {
        ...{ id, name, isEnabled: true, events, channelIds, isToldOfRecorder },
        ...(quietHours === undefined ? {} : { quietHours }),
        ...(sendingHours === undefined ? {} : { sendingHours }),
        perHourMax: PUSHES_PER_HOUR_MAX,
        delivery: subscription,
      },
      server: () => site.current.server,
      send: (delivery, message, signal) => this.#send(delivery, message, signal),
      clock,
      ...(local === undefined ? {} : { local }),
      onSettled: () => undefined,
      onTrouble: (problem) => this.#log.info({ subscription: id, problem }, "messages to a browser"),
      onRefused: ({ sequence }, problem) =>
        this.#log.warn(
          { subscription: id, event: sequence, problem },
          "a message is refused by a push service that takes others: left out",
        ),
    });
    this.#outboxes.set(id, outbox);
    for (const event of waiting) if (isSelected(outbox.target, event, local)) outbox.add(event);
  }
}
