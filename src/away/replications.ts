import { isDeepStrictEqual } from "node:util";
import type { RecordedChange, SegmentSummary } from "../archive/index.js";
import { type Clock, errorText, type Guid, type Log } from "../base/index.js";
import type { Site } from "../site/index.js";
import {
  AWAY_TIMING,
  type AwaySources,
  type AwayTargetState,
  type AwayTiming,
  Replication,
} from "./replication.js";
import { type StartSendingThread, startSendingThread } from "./send/sender.js";

export interface ReplicationsOptions extends AwaySources {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly start?: StartSendingThread;
  readonly timing?: AwayTiming;
}

/** A replication for each target that is on; one whose target changes begins anew, and goes on where it was. */
export class Replications {
  readonly #options: ReplicationsOptions;
  readonly #running = new Map<Guid, Replication>();
  #changing: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: ReplicationsOptions) {
    this.#options = options;
  }

  /** Starts and stops replications as the configuration says. */
  follow(site: Site): void {
    this.#changing = this.#changing
      .then(() => this.#follow(site))
      .catch((error: unknown) => this.#tellFault("the away targets cannot be followed", error));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#changing;
    await Promise.all([...this.#running.values()].map((replication) => this.#end(replication)));
    this.#running.clear();
  }

  states(): readonly AwayTargetState[] {
    return [...this.#running.values()].map((replication) => replication.state());
  }

  noteChange(change: RecordedChange | undefined): void {
    for (const replication of this.#running.values()) replication.noteChange(change);
  }

  noteRemoved(segment: SegmentSummary): void {
    for (const replication of this.#running.values()) replication.noteRemoved(segment);
  }

  async #follow(site: Site): Promise<void> {
    if (this.#isStopped) return;
    const wanted = new Map(
      site.awayTargets.filter(({ isEnabled }) => isEnabled).map((target) => [target.id, target]),
    );
    for (const [id, replication] of [...this.#running]) {
      replication.noteSite();
      if (isDeepStrictEqual(wanted.get(id), replication.target)) continue;
      this.#running.delete(id);
      await this.#end(replication);
    }
    const { start = startSendingThread, timing = AWAY_TIMING } = this.#options;
    for (const [id, target] of wanted) {
      if (this.#running.has(id)) continue;
      try {
        const replication = new Replication({ ...this.#options, start, timing, target });
        this.#running.set(id, replication);
        replication.start();
      } catch (error) {
        this.#tellFault(`nothing is sent to the target ${target.name}`, error);
      }
    }
  }

  /** What is wrong with one target is no matter of the others. */
  async #end(replication: Replication): Promise<void> {
    try {
      await replication.stop();
    } catch (error) {
      this.#tellFault(`the target ${replication.target.name} did not end in order`, error);
    }
  }

  #tellFault(what: string, error: unknown): void {
    this.#options.log.error(
      { part: "away", what, error: errorText(error) },
      "recordings cannot be sent off the box",
    );
  }
}
