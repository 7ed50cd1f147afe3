import { type Clock, type ClockTimer, errorText, type Log, NvrdError } from "../base/index.js";

/** Retry interval of a listener that could not listen. */
export const LISTENER_RETRY_MS = 1000;

/** A listening server. */
export interface OpenListener {
  readonly port: number;
  /** Why it cannot go on as it is for ever, though it listens; undefined: nothing is wrong. */
  readonly fault?: () => string | undefined;
  stop(): Promise<void>;
}

/** What is wrong with a listener now. */
export interface ListenerProblem {
  readonly name: string;
  /** Nobody can connect; otherwise something that it needs later is missing. */
  readonly isShut: boolean;
  readonly reason: string;
}

export interface ListenerOptions {
  /** `HTTP` or `HTTPS`, for the log and for events. */
  readonly name: string;
  /** What is unreachable while it does not listen, for the log; the API when absent. */
  readonly subject?: string;
  /** Creates a server and listens; rejects with NvrdError if the port or the certificate is not available. */
  readonly open: () => Promise<OpenListener>;
  /** Called when it cannot listen, with the reason, and when it listens again. */
  readonly report: (change: ListenerChange) => void;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ListenerChange {
  readonly name: string;
  /** The reason why it does not listen; undefined: it listens. */
  readonly shut: string | undefined;
}

/**
 * One listening port of the service. A recording service must not end because another program uses its port, or because a
 * renewed certificate is broken: it continues to record and retries every second.
 */
export class Listener {
  readonly #options: ListenerOptions;
  #opened: OpenListener | undefined;
  #timer: ClockTimer | undefined;
  #trying: Promise<void> | undefined;
  #stopped = false;
  /** Why it does not listen. */
  #shut: string | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** The port listened on; 0 if not listening. */
  get port(): number {
    return this.#opened?.port ?? 0;
  }

  get problem(): ListenerProblem | undefined {
    const { name } = this.#options;
    if (this.#shut !== undefined) return { name, isShut: true, reason: this.#shut };
    const reason = this.#opened?.fault?.();
    return reason === undefined ? undefined : { name, isShut: false, reason };
  }

  /** Listens. Rejects with the error of `open`; with `keepTrying` it retries instead. */
  async start({ keepTrying }: { readonly keepTrying: boolean }): Promise<void> {
    try {
      this.#opened = await this.#options.open();
    } catch (error) {
      if (!keepTrying || !(error instanceof NvrdError)) throw error;
      const { name, log, report } = this.#options;
      const reason = errorText(error);
      log.error(
        { listener: name, reason, retryMs: LISTENER_RETRY_MS },
        `${this.#subject} cannot be reached: retrying`,
      );
      this.#shut = reason;
      report({ name, shut: reason });
      this.#schedule();
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.clear();
    await this.#trying;
    await this.#opened?.stop();
    this.#opened = undefined;
    this.#shut = undefined;
  }

  get #subject(): string {
    return this.#options.subject ?? "API";
  }

  #schedule(): void {
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#trying = this.#tryAgain();
    }, LISTENER_RETRY_MS);
  }

  /** Never rejects. */
  async #tryAgain(): Promise<void> {
    const { name, log, report } = this.#options;
    try {
      this.#opened = await this.#options.open();
    } catch (error) {
      this.#shut = errorText(error);
      log.debug({ listener: name, reason: this.#shut }, `${this.#subject} still cannot be reached`);
      if (!this.#stopped) this.#schedule();
      return;
    }
    log.info({ listener: name, port: this.#opened.port }, `${this.#subject} can be reached again`);
    this.#shut = undefined;
    report({ name, shut: undefined });
  }
}
