import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Log,
  NvrdError,
  pauseUnlessAborted,
  US_PER_MS,
} from "../../base/index.js";
import { CameraFailure, type CameraFailureKind } from "../description/camera-failure.js";
import type { AcceptsKey } from "../description/device-access.js";
import type { DeviceDescription } from "../description/device-description.js";
import { deviceClient, proveLogin } from "../device/device-client.js";
import type { DeviceQuestion } from "../device/device-inspection.js";
import { attemptLogin, isRefusal } from "../device/login-attempt.js";
import type { LoginBudgets } from "../device/login-budget.js";
import { AddressCorrection } from "../onvif/address-correction.js";
import { parseDeviceUrl } from "../soap/device-url.js";
import { isUnsupported } from "../soap/soap-answer.js";
import type { SoapClient } from "../soap/soap-client.js";
import { BaseNotification, type BaseNotificationOptions } from "./base-notification.js";
import type { CameraEventMessage } from "./camera-event-message.js";
import { signalsOf } from "./camera-event-signal.js";
import {
  CAMERA_STATES_MAX,
  CameraEventStates,
  type CameraEventStatesOptions,
} from "./camera-event-states.js";
import type { MessageSource, Pulled } from "./message-source.js";
import type { NotificationConsumer } from "./notification-consumer.js";
import { PullPoint } from "./pull-point.js";

/** How long a device may wait for messages before it answers, and the timeout of that call, in milliseconds. */
const PULL_MS = 20_000;
const PULL_CALL_MS_MAX = 35_000;
/** The same of a device that took longer before: some answer after a minute, whatever they are asked for. */
const PATIENT_CALL_MS_MAX = 90_000;
/** After so long without a message the device is asked anew: it may have forgotten whom it reports to, and reports all its states then. */
export const SILENT_MS_MAX = 1_800_000;
/** In the first seconds of a subscription a device reports all its states: that time, and the pull timeout during it. */
export const INITIAL_STATES_MS = 5000;
const FIRST_PULL_MS = 1000;
/** Shortest time between pulls, for devices that answer without waiting, in milliseconds. */
const PULL_PERIOD_MS_MIN = 1000;
const FULL_PULL_PERIOD_MS_MIN = 100;
/** Delay after a failure, doubled with each further one; and delay where the failure will not go away by itself. */
const RETRY_MS_MIN = 2000;
const RETRY_MS_MAX = 60_000;
const RETRY_UNSUPPORTED_MS = 600_000;
/** A subscription that lasted this long resets the count of failures. */
const GOOD_MS = 60_000;
/** What lasts is reported again at this interval; claims of motion expire after ten minutes. */
const RENEW_MS = 120_000;
/** How long stopping waits for a device to unsubscribe, in milliseconds. */
const UNSUBSCRIBE_MS_MAX = 2000;
/** Messages that are understood in one turn of the event loop: a millisecond or two. */
const MESSAGES_A_TURN = 32;
/** Maximum age of a message by the device's own clock; older ones get the current time. */
const AGE_MS_MAX = 60_000;
const JITTER = 0.25;
/** How devices fail an operation that they do not have. */
const NOT_SUPPORTED_KINDS: ReadonlySet<CameraFailureKind> = new Set(["refused", "not-onvif", "bad-answer"]);

export interface CameraEventFeedOptions {
  readonly question: DeviceQuestion;
  readonly acceptsKey: AcceptsKey;
  readonly description: DeviceDescription;
  readonly budgets: LoginBudgets;
  readonly consumer: NotificationConsumer;
  readonly clock: Clock;
  /** 0 to 1, for the spread of waits. */
  readonly random: () => number;
  readonly log: Log;
  readonly report: CameraEventStatesOptions["report"];
  readonly know: CameraEventStatesOptions["know"];
}

/** The events of one device. Subscribes again whenever a subscription ends; reports each state once. */
export class CameraEventFeed {
  readonly #options: CameraEventFeedOptions;
  readonly #states: CameraEventStates;
  readonly #log: Log;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #renewedUs = 0;
  #saidTooMany = false;
  /** How long a pull may take. */
  #pullCallMs = PULL_CALL_MS_MAX;
  #doubt: ClockTimer | undefined;
  /** Last logged state: the reason why events are not received; undefined if they are received. */
  #said: string | undefined = "nothing yet";

  constructor(options: CameraEventFeedOptions) {
    this.#options = options;
    this.#log = options.log.child({ device: options.question.address });
    this.#states = new CameraEventStates({
      report: options.report,
      know: options.know,
      onTooMany: () => this.#sayTooMany(),
    });
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Resolves when the device has unsubscribed, or does not answer. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#doubt?.clear();
  }

  /** Reports what lasts again, for a new listener. */
  renew(): void {
    this.#renewedUs = this.#options.clock.monotonicUs();
    this.#states.renew(this.#options.clock.nowUs());
  }

  async #run(): Promise<void> {
    const { clock, random } = this.#options;
    const { signal } = this.#stop;
    let failures = 0;
    while (!signal.aborted) {
      const beganUs = clock.monotonicUs();
      const failure = await this.#session().then(
        () => undefined,
        (error: unknown) => error,
      );
      if (signal.aborted) return;
      const lastedMs = (clock.monotonicUs() - beganUs) / US_PER_MS;
      failures = lastedMs >= GOOD_MS ? 1 : failures + 1;
      this.#say(failure);
      await pauseUnlessAborted(clock, retryMs(failure, failures) * (1 + JITTER * random()), signal);
    }
  }

  /** One subscription, from start to end. Rejects when it ends. */
  async #session(): Promise<void> {
    const { question, description, clock } = this.#options;
    const { events, services } = description;
    const reached = parseDeviceUrl(services.device, ["http", "https"]);
    if (events.kind === "none" || reached === undefined)
      throw new CameraFailure("refused", "the camera does not support events");
    const { signal } = this.#stop;
    const correction = new AddressCorrection({ reached, externalPorts: question.externalPorts });
    const of = { question, description, acceptsKey: this.#options.acceptsKey };
    const client = deviceClient({ ...of, clock, callTimeoutMs: this.#pullCallMs });
    const parts = { client, address: events.address, correction, clock, signal };
    try {
      await this.#logIn(client, correction);
      const pull = (): MessageSource => new PullPoint(parts);
      const push = (): MessageSource => this.#pushed(parts);
      await this.#receive(events.kind === "base-notification" ? [push, pull] : [pull, push]);
    } finally {
      client.close();
    }
  }

  #pushed(parts: Pick<BaseNotificationOptions, "client" | "address" | "correction" | "clock" | "signal">) {
    const { question, consumer } = this.#options;
    return new BaseNotification({ ...parts, consumer, secureOnly: question.secureOnly, log: this.#log });
  }

  /** Receives messages by the first way that the device supports. Rejects when the subscription ends. */
  async #receive(ways: readonly (() => MessageSource)[]): Promise<void> {
    let lacking: unknown;
    for (const way of ways) {
      const source = way();
      try {
        await source.open();
        await this.#pullOn(source, this.#stop.signal);
        await this.#unsubscribe(source);
        return;
      } catch (error) {
        // A refused password is not sent again.
        if (!isRefusal(error)) await this.#unsubscribe(source);
        // An open subscription that is no longer known can be replaced by a new one.
        if (source.isOpen) throw isUnsupported(error) ? lost(error) : error;
        if (!isUnsupported(error) && (lacking === undefined || !isNotSupported(error))) throw error;
        lacking ??= error;
      } finally {
        await source.release();
      }
    }
    throw lacking;
  }

  async #logIn(client: SoapClient, correction: AddressCorrection): Promise<void> {
    const { question, description, budgets } = this.#options;
    const { address: device, login, password } = question;
    const { signal } = this.#stop;
    await attemptLogin(budgets, { login: { device, login, password }, signal }, async () => {
      await proveLogin(client, description, signal);
      // The address that the device reports for itself: its subscriptions are at the same port.
      const own = await ownAddress(client, description.services.device, signal);
      if (own !== "") correction.learnDevice(own);
    });
  }

  async #pullOn(source: MessageSource, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const beganUs = clock.monotonicUs();
    let saidUs = beganUs;
    let isSettled = false;
    this.#states.begin();
    this.#saidTooMany = false;
    while (!signal.aborted) {
      const askedUs = clock.monotonicUs();
      const pulled = await this.#pull(source, isSettled ? PULL_MS : FIRST_PULL_MS);
      await this.#take(pulled);
      const nowUs = clock.monotonicUs();
      if (pulled.messages.length > 0) saidUs = nowUs;
      if (nowUs - saidUs >= SILENT_MS_MAX * US_PER_MS) return;
      if (!isSettled && nowUs - beganUs >= INITIAL_STATES_MS * US_PER_MS) {
        isSettled = true;
        this.#states.settle(clock.nowUs());
        this.#say(undefined);
      }
      this.#states.expire({ timeUs: clock.nowUs(), monotonicUs: nowUs });
      if (nowUs - this.#renewedUs >= RENEW_MS * US_PER_MS) this.renew();
      const period = pulled.messages.length > 0 ? FULL_PULL_PERIOD_MS_MIN : PULL_PERIOD_MS_MIN;
      const restMs = period - (nowUs - askedUs) / US_PER_MS;
      if (restMs > 0) await pauseUnlessAborted(clock, restMs, signal);
    }
  }

  /** A pull; the next subscription waits for answers as long as this device needs. */
  async #pull(source: MessageSource, waitMs: number): Promise<Pulled> {
    const { clock } = this.#options;
    const askedUs = clock.monotonicUs();
    try {
      return await source.pull(waitMs);
    } finally {
      const isSlow = clock.monotonicUs() - askedUs >= PULL_CALL_MS_MAX * US_PER_MS;
      this.#pullCallMs = isSlow ? PATIENT_CALL_MS_MAX : PULL_CALL_MS_MAX;
    }
  }

  async #take({ messages, deviceMs }: Pulled): Promise<void> {
    for (const [index, message] of messages.entries()) {
      if (index % MESSAGES_A_TURN === MESSAGES_A_TURN - 1) await nextTurn();
      const batch = signalsOf(message);
      const monotonicUs = this.#options.clock.monotonicUs();
      const time = { timeUs: this.#timeUs(message, deviceMs), monotonicUs };
      if (batch !== undefined) this.#states.take(batch, message.operation, time);
    }
    this.#believeLater();
  }

  /** An end that is doubted is believed in time, though the device says nothing more. */
  #believeLater(): void {
    const { clock } = this.#options;
    const dueUs = this.#states.doubtEndsUs;
    if (dueUs === undefined || this.#doubt !== undefined) return;
    const believe = (): void => {
      this.#doubt = undefined;
      this.#states.expire({ timeUs: clock.nowUs(), monotonicUs: clock.monotonicUs() });
      this.#believeLater();
    };
    this.#doubt = clock.setTimeout(
      believe,
      Math.max(1, Math.ceil((dueUs - clock.monotonicUs()) / US_PER_MS)),
    );
  }

  /**
   * Computed from the age by the device's clock. That clock may be years off, but the difference of two of its times is right.
   */
  #timeUs(message: CameraEventMessage, deviceMs: number | undefined): number {
    const nowUs = this.#options.clock.nowUs();
    if (message.deviceMs === undefined || deviceMs === undefined || message.operation === "Initialized")
      return nowUs;
    const ageMs = deviceMs - message.deviceMs;
    return ageMs > 0 && ageMs <= AGE_MS_MAX ? nowUs - ageMs * US_PER_MS : nowUs;
  }

  async #unsubscribe(source: MessageSource): Promise<void> {
    const over = new AbortController();
    const timer = this.#options.clock.setTimeout(() => over.abort(), UNSUBSCRIBE_MS_MAX);
    try {
      await source.close(over.signal);
    } catch (error) {
      // The subscription ends by itself, and a device that restarted has forgotten it.
      this.#log.debug({ reason: errorText(error) }, "the camera's subscription was left to expire");
    } finally {
      timer.clear();
    }
  }

  /** Once for each subscription. */
  #sayTooMany(): void {
    if (this.#saidTooMany) return;
    this.#saidTooMany = true;
    this.#log.warn(
      `the camera says that more than ${CAMERA_STATES_MAX} things are so: further ones are ignored`,
    );
  }

  /** Logs each failure once, and the recovery. */
  #say(failure: unknown): void {
    const said = failure === undefined ? undefined : errorText(failure);
    if (said === this.#said) return;
    this.#said = said;
    if (said === undefined) this.#log.info("events of the camera are received");
    else if (failure instanceof NvrdError) this.#log.warn(`events of the camera are not received: ${said}`);
    else this.#log.error({ err: failure }, "unexpected error while receiving events of a camera");
  }
}

function isNotSupported(error: unknown): boolean {
  return error instanceof CameraFailure && NOT_SUPPORTED_KINDS.has(error.kind);
}

function lost(cause: unknown): CameraFailure {
  return new CameraFailure("interrupted", "the camera no longer knows its subscription", { cause });
}

function retryMs(failure: unknown, failures: number): number {
  if (isUnsupported(failure)) return RETRY_UNSUPPORTED_MS;
  if (isRefusal(failure)) return RETRY_MS_MAX;
  return Math.min(RETRY_MS_MIN * 2 ** Math.min(failures - 1, 16), RETRY_MS_MAX);
}

/** As GetCapabilities has it; empty for a device that has its services in GetServices alone. */
async function ownAddress(client: SoapClient, address: string, signal: AbortSignal): Promise<string> {
  const question = { address, service: "device", operation: "GetCapabilities", signal } as const;
  try {
    const response = await client.call({ ...question, content: "<m:Category>Device</m:Category>" });
    return response.at("Capabilities", "Device", "XAddr")?.rawText ?? "";
  } catch (error) {
    if (!(error instanceof CameraFailure) || client.refusal !== undefined || signal.aborted) throw error;
    if (error.lostCause === "unreachable") throw error;
    return "";
  }
}
