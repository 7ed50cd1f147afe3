import {
  type Clock,
  type ClockTimer,
  errorText,
  formatIsoTime,
  type Log,
  MS_PER_SECOND,
  newGuid,
  setTimeLimit,
  withAnyOf,
} from "../base/index.js";
import { EVENT_TYPES, type EventLog } from "../event/index.js";
import type { MonitoringSettings, Site } from "../site/index.js";
import { type Post, post } from "./http-post.js";
import { isAccepted } from "./refusal.js";
import type { WebhookReach } from "./webhook-reach.js";

/** Largest message; a longer one says what is wrong and leaves out the lists. */
export const BODY_BYTES_MAX = 1024 * 1024;
const PROBLEMS_MAX = 100;
/** A message that takes longer is given up. */
const SEND_MS_MAX = 15 * MS_PER_SECOND;
/** The first message, once the recorder has had time to look at itself. */
const FIRST_MS = MS_PER_SECOND;

/** What became of the messages since they were switched on. */
export interface MonitoringState {
  /** Unix microseconds; undefined: none was sent yet. */
  readonly lastTriedUs: number | undefined;
  readonly lastSentUs: number | undefined;
  readonly sent: number;
  readonly failed: number;
  /** Why the last one did not arrive; undefined: it did. */
  readonly problem: string | undefined;
}

export interface MonitoringPushOptions {
  readonly settings: MonitoringSettings;
  readonly server: Site["server"];
  /** The answer of GET /api/health, with all channels. */
  readonly health: () => Promise<unknown>;
  readonly reach: WebhookReach;
  readonly events: Pick<EventLog, "raise">;
  readonly clock: Clock;
  readonly log: Log;
  /** Sends a message; replaceable in tests. */
  readonly send?: (url: URL, message: Post) => Promise<number>;
}

/** Sends health at the interval, one message at a time. What could not be sent is not kept: the next one says how things are. */
export class MonitoringPush {
  readonly #options: MonitoringPushOptions;
  readonly #stopping = new AbortController();
  #timer: ClockTimer | undefined;
  #sending: Promise<void> | undefined;
  #state: MonitoringState = {
    ...{ lastTriedUs: undefined, lastSentUs: undefined, problem: undefined },
    ...{ sent: 0, failed: 0 },
  };

  constructor(options: MonitoringPushOptions) {
    this.#options = options;
  }

  get state(): MonitoringState {
    return this.#state;
  }

  start(): void {
    this.#pushIn(FIRST_MS);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#timer?.clear();
    await this.#sending;
  }

  #pushIn(delayMs: number): void {
    if (this.#stopping.signal.aborted) return;
    const { clock, settings } = this.#options;
    this.#timer = clock.setTimeout(() => {
      const beganUs = clock.monotonicUs();
      this.#sending = this.#push().finally(() => {
        const tookMs = (clock.monotonicUs() - beganUs) / 1000;
        this.#pushIn(Math.max(0, settings.pushIntervalSeconds * MS_PER_SECOND - tookMs));
      });
    }, delayMs);
  }

  /** Never rejects. */
  async #push(): Promise<void> {
    const { clock } = this.#options;
    const timeout = new AbortController();
    const timer = setTimeLimit(clock, () => timeout.abort(), SEND_MS_MAX);
    const lastTriedUs = clock.nowUs();
    try {
      await withAnyOf([timeout.signal, this.#stopping.signal], (signal) => this.#send(lastTriedUs, signal));
      this.#settle({ lastTriedUs, problem: undefined });
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      const problem = timeout.signal.aborted ? `no answer within ${SEND_MS_MAX / 1000} s` : errorText(error);
      this.#settle({ lastTriedUs, problem });
    } finally {
      timer.clear();
    }
  }

  async #send(timeUs: number, signal: AbortSignal): Promise<void> {
    const { settings, server, health, reach, send = post } = this.#options;
    const { password, isProxyServerEnabled, proxyUrl = "" } = settings;
    const body = messageBody({ Id: newGuid(), Time: formatIsoTime(timeUs), server, health: await health() });
    const login = Buffer.from(`${server.id}:${password}`).toString("base64");
    const url = new URL(settings.url);
    // A login in the URL would be sent by the library in place of the password.
    [url.username, url.password] = ["", ""];
    const status = await send(url, {
      headers: {
        "Content-Type": "application/json; charset=utf-8",
        "Content-Length": String(body.length),
        "User-Agent": "nvrd",
        ...(password === "" ? {} : { Authorization: `Basic ${login}` }),
      },
      ...{ body, signal, reach },
      ...(isProxyServerEnabled && proxyUrl !== "" ? { proxy: new URL(proxyUrl) } : {}),
    });
    if (!isAccepted(status)) throw new Error(`${url.host} answered ${status}; expected 200 to 299`);
  }

  /** Logs the first failure, and the recovery. */
  #settle({ lastTriedUs, problem }: { lastTriedUs: number; problem: string | undefined }): void {
    const { events, log, settings } = this.#options;
    const before = this.#state;
    const isSent = problem === undefined;
    this.#state = {
      ...{ lastTriedUs, problem, lastSentUs: isSent ? lastTriedUs : before.lastSentUs },
      ...{ sent: before.sent + (isSent ? 1 : 0), failed: before.failed + (isSent ? 0 : 1) },
    };
    const { host } = new URL(settings.url);
    if (problem !== undefined && before.problem === undefined) {
      log.warn({ problem }, "the monitoring service cannot be reached: trying again");
      events.raise({ typeId: EVENT_TYPES.monitoringFailing.id, comment: problem });
    } else if (isSent && before.problem !== undefined) {
      log.info({ host }, "the monitoring service is reached again");
      events.raise({ typeId: EVENT_TYPES.monitoringWorks.id, comment: host });
    }
  }
}

interface Message {
  readonly Id: string;
  readonly Time: string;
  readonly server: Site["server"];
  readonly health: unknown;
}

function messageBody({ Id, Time, server, health }: Message): Buffer {
  const Server = { Id: server.id, Name: server.name };
  const whole = Buffer.from(JSON.stringify({ Id, Time, Server, IsShortened: false, Health: health }));
  if (whole.length <= BODY_BYTES_MAX) return whole;
  return Buffer.from(JSON.stringify({ Id, Time, Server, IsShortened: true, Health: shortened(health) }));
}

/** The state and the first problems. */
function shortened(health: unknown): unknown {
  const { State, Summary, Problems } = Object(health) as Readonly<Record<string, unknown>>;
  return { State, Summary, Problems: Array.isArray(Problems) ? Problems.slice(0, PROBLEMS_MAX) : [] };
}
