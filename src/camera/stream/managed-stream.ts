import type { Clock, ClockTimer, Log } from "../../base/index.js";
import type { LiveStream, Subscription } from "../../live/index.js";
import { type StreamAddress, type StreamTarget, sameTarget } from "../device/stream-address.js";

/** Publishes a camera's frames to its LiveStream. */
export interface StreamSource {
  start(): void;
  /** Resolves when the connection is closed. */
  stop(): Promise<void>;
}

export type SourceFactory = (address: StreamAddress, stream: LiveStream) => StreamSource;

/** How long a source stays connected after its last subscriber left, because viewers switch pages and return. */
export const SOURCE_LINGER_MS = 10_000;

export interface ManagedStreamOptions {
  readonly stream: LiveStream;
  readonly target: StreamTarget;
  readonly createSource: SourceFactory;
  readonly clock: Clock;
  readonly log: Log;
}

/** One stream of one camera, connected while its LiveStream has subscribers. */
export class ManagedStream {
  readonly stream: LiveStream;
  readonly #createSource: SourceFactory;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #demand: Subscription;
  #target: StreamTarget;
  #source: StreamSource | undefined;
  #linger: ClockTimer | undefined;
  /** The pending stop of a source; the next source starts after it. */
  #stopping: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: ManagedStreamOptions) {
    this.stream = options.stream;
    this.#target = options.target;
    this.#createSource = options.createSource;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#demand = this.stream.onDemand({ onDemand: () => this.#follow() });
  }

  /** Sets the target of the stream; a connected source is replaced if the address changed. */
  setTarget(target: StreamTarget): void {
    if (sameTarget(this.#target, target)) return;
    this.#target = target;
    this.#disconnect();
    this.#follow();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#demand.close();
    this.#disconnect();
    await this.#stopping;
  }

  #follow(): void {
    if (this.#closed) return;
    if (this.stream.subscribers > 0) this.#connect();
    else if (this.#source === undefined) this.#showState();
    else if (this.#linger === undefined) {
      this.#linger = this.#clock.setTimeout(() => this.#disconnect(), SOURCE_LINGER_MS);
    }
  }

  #connect(): void {
    this.#linger?.clear();
    this.#linger = undefined;
    if (this.#source !== undefined) return;
    if (this.#target.kind !== "address") {
      this.#stopping.then(() => this.#showState());
      return;
    }
    const source = this.#createSource(this.#target.address, this.stream);
    this.#source = source;
    this.#stopping.then(() => {
      if (this.#source === source) source.start();
    });
  }

  #disconnect(): void {
    this.#linger?.clear();
    this.#linger = undefined;
    const source = this.#source;
    if (source === undefined) return;
    this.#source = undefined;
    this.#stopping = this.#stopping
      .then(() => source.stop())
      .catch((error: unknown) => {
        this.#log.error({ stream: this.stream.toString(), err: error }, "source did not stop cleanly");
      })
      .then(() => this.#showState());
  }

  /** Sets the state of a stream without a source; otherwise the source does. */
  #showState(): void {
    if (this.#source !== undefined) return;
    const target = this.#target;
    if (this.#closed || this.stream.subscribers === 0 || target.kind === "address")
      this.stream.setState({ state: "idle" });
    else if (target.kind === "pending") this.stream.setState({ state: "connecting" });
    else this.stream.setState({ state: "lost", reason: target.reason, cause: target.cause });
  }
}
