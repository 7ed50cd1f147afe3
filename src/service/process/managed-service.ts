import type { Clock, ClockTimer, Log } from "../../base/index.js";
import type { NotifySocket } from "../../host/systemd/index.js";
import type { Stoppable } from "./supervise.js";

/** How often the status line is updated and recording is checked. */
const LOOK_MS = 5000;
/** Pings per watchdog period, so that a late one does no harm. */
const PINGS_A_PERIOD = 3;
/** During a start or stop: how often the timeout is extended, by how much, and the maximum in total. */
const EXTEND_EVERY_MS = 10_000;
const EXTEND_BY_MS = 60_000;
const EXTEND_MS_MAX = 900_000;
/** The status until the service reports its health. */
const STARTED = "started";

/** A service that reports its health. */
export interface ReportingService extends Stoppable {
  /** Its health in one line; undefined while unknown. */
  readonly healthSummary: string | undefined;
  /** Why it is stuck; undefined while it works. */
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

/** A start that slow disks delay may take longer; one that hangs is finally aborted by the service manager. */
function extendTimeout(notify: NotifySocket, clock: Clock): ClockTimer {
  const untilUs = clock.monotonicUs() + EXTEND_MS_MAX * 1000;
  return clock.setInterval(() => {
    if (clock.monotonicUs() < untilUs) notify.extendTimeout(EXTEND_BY_MS);
  }, EXTEND_EVERY_MS);
}

class ManagedService implements Stoppable {
  readonly failure?: Promise<Error>;
  readonly restart?: Promise<void>;
  readonly #service: ReportingService;
  readonly #notify: NotifySocket;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #timers: ClockTimer[] = [];
  #status = "";
  #reportedStuck: string | undefined;

  constructor(service: ReportingService, { notify, clock, log }: ManagedServiceOptions) {
    this.#service = service;
    this.#notify = notify;
    this.#clock = clock;
    this.#log = log;
    if (service.failure !== undefined) this.failure = service.failure;
    if (service.restart !== undefined) this.restart = service.restart;
    this.#status = service.healthSummary ?? STARTED;
    notify.ready(this.#status);
    if (notify.failure !== undefined)
      log.warn({ errno: notify.failure }, "the service manager cannot be notified");
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
    if (reason === this.#reportedStuck) return;
    this.#reportedStuck = reason;
    if (reason === undefined) this.#log.warn("recording continues");
    else this.#log.error({ reason }, "recording is stuck: the service manager will restart the service");
  }

  #ping(): void {
    if (this.#service.stuckReason() === undefined) this.#notify.watchdog();
  }
}
