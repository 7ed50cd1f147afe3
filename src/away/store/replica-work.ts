import { rmSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Clock, type ClockTimer, errorText, type Guid, MS_PER_SECOND } from "../../base/index.js";
import type { FromReplicas, ToReplicas } from "./replica-messages.js";
import { ReplicaServer, type ReplicaServing } from "./replica-server.js";

/** How often usage is reported. */
const REPORT_INTERVAL_MS = 5 * MS_PER_SECOND;
/** A port or a folder that cannot be used is tried again after this. */
const RETRY_MS = 10 * MS_PER_SECOND;

export interface ReplicaWorkOptions {
  readonly clock: Clock;
  readonly post: (message: FromReplicas) => void;
}

/** What the thread that keeps replicas does. */
export class ReplicaWork {
  readonly #options: ReplicaWorkOptions;
  #serving: ReplicaServing | undefined;
  #server: ReplicaServer | undefined;
  #changing: Promise<void> = Promise.resolve();
  #timer: ClockTimer | undefined;
  #retry: ClockTimer | undefined;
  #failure = "";
  #reportedText = "";

  constructor(options: ReplicaWorkOptions) {
    this.#options = options;
  }

  /** Never throws: failures are answered. */
  take(message: ToReplicas): void {
    this.#changing = this.#changing.then(async () => {
      if (message.kind === "serve") await this.#serve(message.serving);
      else this.#remove(message.id, message.owner);
    });
  }

  close(): void {
    this.#timer?.clear();
    this.#retry?.clear();
    this.#server?.stop();
  }

  async #serve(serving: ReplicaServing): Promise<void> {
    this.#retry?.clear();
    const before = this.#serving;
    this.#serving = serving;
    const { clock, post } = this.#options;
    try {
      if (this.#server !== undefined && before !== undefined && isSamePlace(before, serving)) {
        this.#server.change(serving);
        return;
      }
      this.#server?.stop();
      this.#server = undefined;
      const server = new ReplicaServer({ clock, onFailure: (error) => this.#note(error) });
      await server.start(serving);
      this.#server = server;
      this.#timer ??= clock.setInterval(() => this.#reportUses(), REPORT_INTERVAL_MS);
      post({ kind: "state", port: server.port, problem: "" });
    } catch (error) {
      this.#server?.stop();
      this.#server = undefined;
      post({ kind: "state", port: 0, problem: errorText(error) });
      this.#retry = clock.setTimeout(() => this.take({ kind: "serve", serving }), RETRY_MS);
    }
    this.#reportUses();
  }

  /** Where it is served it is begun anew, empty. */
  #remove(id: number, owner: Guid): void {
    const serving = this.#serving;
    let problem = "";
    try {
      if (serving === undefined) throw new Error("no replicas are kept");
      const others = serving.owners.filter((each) => each.id !== owner);
      this.#server?.change({ ...serving, owners: others });
      rmSync(path.join(serving.directory, owner), { recursive: true, force: true });
      this.#server?.change(serving);
    } catch (error) {
      problem = errorText(error);
    }
    this.#reportUses();
    this.#options.post({ kind: "removed", id, problem });
  }

  #note(error: unknown): void {
    this.#failure = errorText(error);
  }

  #reportUses(): void {
    const uses = this.#server?.uses() ?? [];
    const text = JSON.stringify([uses, this.#failure]);
    if (text === this.#reportedText) return;
    this.#reportedText = text;
    this.#options.post({ kind: "uses", uses, failure: this.#failure });
    this.#failure = "";
  }
}

function isSamePlace(a: ReplicaServing, b: ReplicaServing): boolean {
  const placeOf = ({ owners: _owners, ...place }: ReplicaServing): unknown => place;
  return isDeepStrictEqual(placeOf(a), placeOf(b));
}
