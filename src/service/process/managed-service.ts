import type { Clock, ClockTimer, Log } from "../../base/index.js";
import type { NotifySocket } from "../../systemd/index.js";
import type { Stoppable } from "./supervise.js";

/** How often the status line is renewed, and how often recording is looked at. */
const LOOK_MS = 5000;
/** Pings for each period of the watchdog: one that comes late must not count as none. */
const PINGS_A_PERIOD = 3;
/** How often a start or stop under way asks for more time, for how much, and for how long in all. */
const EXTEND_EVERY_MS = 10_000;
const EXTEND_BY_MS = 60_000;
const EXTEND_MS_MAX = 900_000;
/** The status of a service that does not say how it is yet. */
const STARTED = "started";

/** A service that can say how it is. */
export interface ReportingService extends Stoppable {
  /** How it is, in one line for a person; undefined while that is not known. */
  readonly healthSummary: string | undefined;
  /** Why it does not do its work although it could; undefined while it does. */
  stuckReason(): string | undefined;
}

export interface ManagedServiceOptions {
  readonly start: () => Promise<ReportingService>;
  readonly notify: NotifySocket;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Starts a service and notifies the service manager: more start time, readiness, status, watchdog, stop. Without a service
 * manager, it only starts the service.
 */
export async function startManaged(options: ManagedServiceOptions): Promise<Stoppable> {
  const { notify, clock } = options;
  if (!notify.isThere) return await options.start();
  notify.status("starting");
  const patience = extendTimeout(notify, clock);
  try {
    return new ManagedService(await options.start(), options);
  } finally {
    patience.clear();
  }
}

/** A start that the disks hold up is not given up; one that hangs is, in the end. */
function extendTimeout(notify: NotifySocket, clock: Clock): ClockTimer {
  const untilUs = clock.monotonicUs() + EXTEND_MS_MAX * 1000;
  return clock.setInterval(() => {
    if (clock.monotonicUs() < untilUs) notify.extendTimeout(EXTEND_BY_MS);
  }, EXTEND_EVERY_MS);
}

class ManagedService implements Stoppable {
  readonly failure?: Promise<Error>;
  readonly #service: ReportingService;
  readonly #notify: NotifySocket;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #timers: ClockTimer[] = [];
  #status = "";
  #toldStuck: string | undefined;

  constructor(service: ReportingService, { notify, clock, log }: ManagedServiceOptions) {
    this.#service = service;
    this.#notify = notify;
    this.#clock = clock;
    this.#log = log;
    if (service.failure !== undefined) this.failure = service.failure;
    this.#status = service.healthSummary ?? STARTED;
    notify.ready(this.#status);
    if (notify.failure !== undefined)
      log.warn({ errno: notify.failure }, "the service manager cannot be told that the service is ready");
    this.#timers.push(clock.setInterval(() => this.#look(), LOOK_MS));
    const { watchdogMs } = notify;
    if (watchdogMs !== undefined)
      this.#timers.push(clock.setInterval(() => this.#ping(), watchdogMs / PINGS_A_PERIOD));
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers.splice(0)) timer.clear();
    this.#notify.stopping();
    const patience = extendTimeout(this.#notify, this.#clock);
    try {
      await this.#service.stop();
    } finally {
      patience.clear();
    }
  }

  #look(): void {
    const status = this.#service.healthSummary ?? STARTED;
    if (status !== this.#status) this.#notify.status(status);
    this.#status = status;
    const reason = this.#service.stuckReason();
    if (reason === this.#toldStuck) return;
    this.#toldStuck = reason;
    if (reason === undefined) this.#log.warn("recording goes on");
    else this.#log.error({ reason }, "recording is stuck: the service manager starts the service anew");
  }

  #ping(): void {
    if (this.#service.stuckReason() === undefined) this.#notify.watchdog();
  }
}
