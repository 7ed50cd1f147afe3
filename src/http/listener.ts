import { type Clock, type ClockTimer, errorText, type Log, NvrdError } from "../base/index.js";

/** How often a listener that could not listen is tried again. */
export const LISTENER_RETRY_MS = 1000;

/** A server that listens. */
export interface OpenListener {
  readonly port: number;
  stop(): Promise<void>;
}

export interface ListenerOptions {
  /** `HTTP` or `HTTPS`, for the log and for events. */
  readonly name: string;
  /** What cannot be reached while it does not listen, for the log; the API when absent. */
  readonly subject?: string;
  /** Makes a server and listens; rejects with NvrdError when the port or the certificate cannot be had. */
  readonly open: () => Promise<OpenListener>;
  /** Told when it cannot listen, with the reason, and when it listens after all. */
  readonly tell: (change: ListenerChange) => void;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ListenerChange {
  readonly name: string;
  /** Undefined: open. */
  readonly shut: string | undefined;
}

/**
 * One way into the service. A service that records must not end because another program has its port or because a
 * renewed certificate is broken: it records on and tries each second, until people can reach it again.
 */
export class Listener {
  readonly #options: ListenerOptions;
  #opened: OpenListener | undefined;
  #timer: ClockTimer | undefined;
  #trying: Promise<void> | undefined;
  #stopped = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** The port listened on; 0 while there is none. */
  get port(): number {
    return this.#opened?.port ?? 0;
  }

  /** Listens. Rejects with what `open` rejects with; with `keepTrying` it is tried again instead. */
  async start({ keepTrying }: { readonly keepTrying: boolean }): Promise<void> {
    try {
      this.#opened = await this.#options.open();
    } catch (error) {
      if (!keepTrying || !(error instanceof NvrdError)) throw error;
      const { name, log, tell } = this.#options;
      const reason = errorText(error);
      log.error(
        { listener: name, reason, retryMs: LISTENER_RETRY_MS },
        `${this.#subject} cannot be reached: it is tried again`,
      );
      tell({ name, shut: reason });
      this.#schedule();
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.clear();
    await this.#trying;
    await this.#opened?.stop();
    this.#opened = undefined;
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
    const { name, log, tell } = this.#options;
    try {
      this.#opened = await this.#options.open();
    } catch (error) {
      log.debug({ listener: name, reason: errorText(error) }, `${this.#subject} still cannot be reached`);
      if (!this.#stopped) this.#schedule();
      return;
    }
    log.info({ listener: name, port: this.#opened.port }, `${this.#subject} can be reached again`);
    tell({ name, shut: undefined });
  }
}
