import {
  type Clock,
  type ClockTimer,
  errorText,
  type Log,
  type Semaphore,
  US_PER_MS,
} from "../../base/index.js";
import type { LoginGate, LoginTurn } from "../../rtsp/index.js";
import type { ExternalPort } from "../../site/index.js";
import { CameraFailure, type LoginClockSource, type LoginMethod } from "../description/camera-failure.js";
import type { AcceptsKey, DeviceAccess } from "../description/device-access.js";
import type { DeviceDescription, DeviceProfile } from "../description/device-description.js";
import type { RememberedDevice } from "./device-memory.js";
import type { DeviceKnowledge } from "./stream-address.js";

/** The parameters for asking one device. Compared as a whole. */
export interface DeviceQuestion {
  readonly address: string;
  readonly login: string;
  readonly password: string;
  readonly secureOnly: boolean;
  readonly ipv4Only: boolean;
  readonly externalPorts: readonly ExternalPort[];
}

/** Reads everything about a device; rejects with CameraFailure. */
export type InspectDevice = (
  options: DeviceAccess & { readonly ipv4Only: boolean; readonly signal: AbortSignal },
) => Promise<DeviceDescription>;

/** Delay after the first failure; doubled with each further one. */
const RETRY_MS_MIN = 2000;
/** Longest delay while the device does not answer, so that recording resumes soon after it is back. */
const RETRY_MS_MAX = 15_000;
/** Delay after failures that will not go away by themselves. */
const RETRY_LASTING_MS = 60_000;
/** Minimum time between two inspections of a device, whatever its streams do. */
export const ASK_AGAIN_MS = 30_000;
/** Longest time between two looks at a device that answers and whose streams stay lost. */
const ASK_AGAIN_MS_MAX = 600_000;
/** A device that is remembered is asked this much later: its streams connect first, and are recorded. */
const REMEMBERED_DELAY_MS = 5000;
/** Delays are spread randomly by up to this fraction. */
const JITTER = 0.25;

export interface DeviceInspectionOptions {
  readonly question: DeviceQuestion;
  readonly inspect: InspectDevice;
  readonly gate: LoginGate;
  /** Limits how many devices are asked concurrently. */
  readonly turns: Semaphore;
  /** What it reported before the service was restarted, if known. */
  readonly remembered: RememberedDevice | undefined;
  /** Whether the device took a digest before: then it is never sent the password. */
  readonly tookDigest: () => boolean;
  readonly acceptsKey?: AcceptsKey;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** Called when what is known has changed. */
  onChange(): void;
}

/** What is known about one ONVIF device. It is asked once for all its streams and cameras, and again when they fail. */
export class DeviceInspection implements DeviceKnowledge {
  readonly question: DeviceQuestion;
  readonly #options: DeviceInspectionOptions;
  readonly #log: Log;
  readonly #stop = new AbortController();
  #description: DeviceDescription | undefined;
  #failure: CameraFailure | undefined;
  /** How the device refused the login the last time. */
  #refusedMethod: LoginMethod | undefined;
  #refusedClocks: readonly LoginClockSource[] = [];
  #timer: ClockTimer | undefined;
  #asking: Promise<void> | undefined;
  #failures = 0;
  #askedUs = Number.NEGATIVE_INFINITY;
  /** How often it was asked because of its streams, since one of them came. */
  #refreshes = 0;
  #unreachableSinceUs: number | undefined;
  #failingSinceUs: number | undefined;

  constructor(options: DeviceInspectionOptions) {
    this.#options = options;
    this.question = options.question;
    this.#log = options.log.child({ device: options.question.address });
  }

  /** What it reported in this run of the service; undefined until then. */
  get description(): DeviceDescription | undefined {
    return this.#description;
  }

  get profiles(): DeviceKnowledge["profiles"] {
    return this.#description?.profiles ?? this.#options.remembered?.profiles;
  }

  get identity(): string | undefined {
    return this.#description?.identity ?? this.#options.remembered?.identity;
  }

  get failure(): DeviceKnowledge["failure"] {
    const failure = this.#failure;
    return failure === undefined ? undefined : { cause: failure.lostCause, reason: failure.message };
  }

  /** Milliseconds for which the device has not answered; 0 if it answered the last request. */
  get unreachableMs(): number {
    if (this.#unreachableSinceUs === undefined) return 0;
    return (this.#options.clock.monotonicUs() - this.#unreachableSinceUs) / US_PER_MS;
  }

  /** Milliseconds for which it has not been described, whatever it answered; 0 when it was last. */
  get failingMs(): number {
    if (this.#failingSinceUs === undefined) return 0;
    return (this.#options.clock.monotonicUs() - this.#failingSinceUs) / US_PER_MS;
  }

  /** Asks it, and again until it answers: at once, or when its streams have had the first word. */
  start(): void {
    const { remembered, random } = this.#options;
    if (remembered === undefined) this.#ask();
    else this.#askIn(REMEMBERED_DELAY_MS * (1 + random()));
  }

  /**
   * One of its streams failed, or still does: what is known may be out of date. Each further look comes later, until a
   * stream comes.
   */
  refresh(): void {
    if (this.#asking !== undefined || this.#timer !== undefined || this.#stop.signal.aborted) return;
    const waitMs = Math.min(ASK_AGAIN_MS * 2 ** this.#refreshes, ASK_AGAIN_MS_MAX);
    const agoMs = (this.#options.clock.monotonicUs() - this.#askedUs) / US_PER_MS;
    if (waitMs < ASK_AGAIN_MS_MAX) this.#refreshes += 1;
    if (agoMs >= waitMs) this.#ask();
    else this.#askIn(waitMs - agoMs);
  }

  /** One of its streams came: the next one that fails is looked after soon. */
  recovered(): void {
    this.#refreshes = 0;
  }

  /** Resolves when all requests have ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#timer?.clear();
    this.#timer = undefined;
    await this.#asking;
  }

  #ask(): void {
    this.#timer = undefined;
    this.#asking = this.#askOnce().finally(() => {
      this.#asking = undefined;
    });
  }

  #askIn(delayMs: number): void {
    this.#timer = this.#options.clock.setTimeout(() => this.#ask(), Math.ceil(delayMs));
  }

  async #askOnce(): Promise<void> {
    const { gate, question } = this.#options;
    const { signal } = this.#stop;
    const isNamed = question.login !== "" || question.password !== "";
    const turn = isNamed ? await gate.turn({ signal, onRefused: () => this.#refusedElsewhere() }) : FREE_TURN;
    if (turn === undefined) return;
    try {
      const description = await this.#options.turns.run(() => this.#inspect(), signal);
      if (description === undefined) return;
      turn.accepted();
      this.#learned(description);
    } catch (error) {
      const failure = failureOf(error);
      if (this.#isRefusal(failure)) turn.refused(Math.max(1, failure.loginTries));
      if (!signal.aborted) this.#failed(failure, error);
    } finally {
      turn.ended();
    }
  }

  /** Until the device has accepted the login, unexplained failures count as refusals. A booting device causes them too. */
  #isRefusal({ kind, loginTries }: CameraFailure): boolean {
    if (kind === "unauthorized" || kind === "locked") return true;
    return loginTries > 0 && this.#description === undefined;
  }

  async #inspect(): Promise<DeviceDescription> {
    const { question, inspect, clock } = this.#options;
    const { address, login, password, secureOnly, ipv4Only, externalPorts } = question;
    this.#askedUs = clock.monotonicUs();
    const { signal } = this.#stop;
    const access = { address, login, password, clock, secureOnly, ipv4Only, externalPorts, signal };
    return await inspect({
      ...access,
      refusedMethod: this.#refusedMethod,
      refusedClocks: this.#refusedClocks,
      digestOnly: this.#options.tookDigest(),
      acceptsKey: this.#options.acceptsKey,
    });
  }

  #learned(description: DeviceDescription): void {
    const { manufacturer, model, firmware, profiles, readBy } = description;
    this.#failures = 0;
    this.#failure = undefined;
    this.#unreachableSinceUs = undefined;
    this.#failingSinceUs = undefined;
    this.#description = keptAddresses(description, this.profiles ?? []);
    this.#log.info({ manufacturer, model, firmware, profiles: profiles.length, readBy }, "device answers");
    for (const { code, message } of description.warnings) this.#log.warn({ code }, message);
    this.#options.onChange();
  }

  #failed(failure: CameraFailure, error: unknown): void {
    const { clock, random } = this.#options;
    this.#failures += 1;
    this.#failingSinceUs ??= clock.monotonicUs();
    const isNews = failure.message !== this.#failure?.message;
    this.#failure = failure;
    if (failure.loginMethod !== "none") this.#refusedMethod = failure.loginMethod;
    if (failure.loginClocks.length > 0) this.#refusedClocks = failure.loginClocks;
    if (failure.lostCause !== "unreachable") this.#unreachableSinceUs = undefined;
    else this.#unreachableSinceUs ??= clock.monotonicUs();
    const cause = failure.cause === undefined ? {} : { cause: errorText(failure.cause) };
    const fields = { kind: failure.kind, lostCause: failure.lostCause, failures: this.#failures, ...cause };
    if (!(error instanceof CameraFailure))
      this.#log.error({ err: error }, "unexpected error while asking a device");
    this.#log[isNews ? "warn" : "debug"](fields, failure.message);
    this.#askIn(retryMs(failure, this.#failures) * (1 + JITTER * random()));
    if (isNews) this.#options.onChange();
  }

  #refusedElsewhere(): void {
    if (this.#failure?.lostCause === "unauthorized") return;
    this.#failure = new CameraFailure(
      "unauthorized",
      "the camera refuses user name or password: correct them",
    );
    this.#options.onChange();
  }
}

/** A device that gives a profile no stream address this time may still send at the one that it gave. */
function keptAddresses(description: DeviceDescription, before: readonly DeviceProfile[]): DeviceDescription {
  const profiles = description.profiles.map((profile) => {
    const { streamUri = before.find(({ token }) => token === profile.token)?.streamUri } = profile;
    return { ...profile, streamUri };
  });
  return { ...description, profiles };
}

const FREE_TURN: LoginTurn = {
  accepted: () => undefined,
  refused: () => undefined,
  ended: () => undefined,
};

/** The login gate decides when a refused password is tried again. */
function retryMs(failure: CameraFailure, failures: number): number {
  const doubled = RETRY_MS_MIN * 2 ** Math.min(failures - 1, 16);
  const isPassing =
    failure.lostCause === "unreachable" || failure.kind === "unauthorized" || failure.kind === "locked";
  return isPassing ? Math.min(doubled, RETRY_MS_MAX) : Math.min(doubled, RETRY_LASTING_MS);
}

function failureOf(error: unknown): CameraFailure {
  if (error instanceof CameraFailure) return error;
  return new CameraFailure("bad-answer", `the device could not be asked: ${errorText(error)}`, {
    cause: error,
  });
}
