import { isDeepStrictEqual } from "node:util";
import {
  type Clock,
  type ClockTimer,
  type Guid,
  type Log,
  MS_PER_MINUTE,
  NvrdError,
} from "../../base/index.js";
import type { FromReplicas } from "./replica-messages.js";
import type { ReplicaServing } from "./replica-server.js";
import { type ReplicaThread, type StartReplicaThread, startReplicaThread } from "./replica-thread.js";

/** A thread that has ended is started again after this. */
const RESTART_MS = MS_PER_MINUTE;

export interface ReplicaKeeperOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly start?: StartReplicaThread;
  /** The port has opened or closed. */
  readonly onPort: () => void;
}

/** The thread that keeps replicas of other recorders, from the service's side. Without anything to serve there is none. */
export class ReplicaKeeper {
  readonly #options: ReplicaKeeperOptions;
  readonly #removing = new Map<number, (problem: string) => void>();
  readonly #used = new Map<Guid, number>();
  #serving: ReplicaServing | undefined;
  #thread: ReplicaThread | undefined;
  #restart: ClockTimer | undefined;
  #port = 0;
  #problem = "";
  #next = 1;

  constructor(options: ReplicaKeeperOptions) {
    this.#options = options;
  }

  /** The port at which replicas are taken; 0: none. */
  get port(): number {
    return this.#port;
  }

  /** Why none are taken, or the disk's last failure; empty: nothing is known. */
  get problem(): string {
    return this.#problem;
  }

  /** What is kept of a recorder, as far as it is counted. */
  usedBytes(owner: Guid): number {
    return this.#used.get(owner) ?? 0;
  }

  /** Undefined: nothing is served. */
  serve(serving: ReplicaServing | undefined): void {
    if (isDeepStrictEqual(serving, this.#serving)) return;
    this.#serving = serving;
    if (serving === undefined) this.stop();
    else this.#running()?.post({ kind: "serve", serving });
  }

  /** Removes what is kept of a recorder. Rejects with NvrdError NOT_AVAILABLE. */
  async remove(owner: Guid): Promise<void> {
    const thread = this.#serving === undefined ? undefined : this.#running();
    if (thread === undefined) throw new NvrdError("NOT_AVAILABLE", "no replicas are kept here now");
    const id = this.#next++;
    const problem = await new Promise<string>((resolve) => {
      this.#removing.set(id, resolve);
      thread.post({ kind: "remove", id, owner });
    });
    if (problem !== "")
      throw new NvrdError("NOT_AVAILABLE", `not all that is kept of it could be removed: ${problem}`);
  }

  stop(): void {
    this.#restart?.clear();
    this.#restart = undefined;
    this.#thread?.end();
    this.#ended("");
  }

  #running(): ReplicaThread | undefined {
    if (this.#thread !== undefined || this.#restart !== undefined) return this.#thread;
    const { start = startReplicaThread, clock, log } = this.#options;
    const thread = start(
      (message) => this.#take(message),
      (reason) => {
        if (this.#thread !== thread) return;
        this.#ended(reason);
        log.warn({ reason }, "the thread that keeps replicas has ended: it is started again in a minute");
        this.#restart = clock.setTimeout(() => {
          this.#restart = undefined;
          if (this.#serving !== undefined) this.#running()?.post({ kind: "serve", serving: this.#serving });
        }, RESTART_MS);
      },
    );
    this.#thread = thread;
    return thread;
  }

  #ended(reason: string): void {
    this.#thread = undefined;
    this.#problem = reason;
    this.#used.clear();
    for (const done of this.#removing.values()) done("the thread has ended");
    this.#removing.clear();
    this.#setPort(0);
  }

  #setPort(port: number): void {
    if (port === this.#port) return;
    this.#port = port;
    this.#options.onPort();
  }

  #take(message: FromReplicas): void {
    const { log } = this.#options;
    if (message.kind === "state") {
      if (message.problem !== "" && message.problem !== this.#problem)
        log.error(
          { reason: message.problem },
          "replicas of other recorders cannot be kept: it is tried again",
        );
      this.#problem = message.problem;
      this.#setPort(message.port);
    } else if (message.kind === "uses") {
      this.#used.clear();
      for (const { id, usedBytes } of message.uses) this.#used.set(id, usedBytes);
      if (message.failure !== "") log.error({ reason: message.failure }, "the disk for replicas fails");
    } else {
      this.#removing.get(message.id)?.(message.problem);
      this.#removing.delete(message.id);
    }
  }
}
