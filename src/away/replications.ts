import { isDeepStrictEqual } from "node:util";
import type { RecordedChange, SegmentSummary } from "../archive/index.js";
import { type Clock, errorText, type Guid, type Log, NvrdError } from "../base/index.js";
import type { AwayLock } from "./away-control.js";
import type { EvidenceLockState, LockChange, LockWish } from "./evidence-locks.js";
import {
  AWAY_TIMING,
  type AwaySources,
  type AwayTargetState,
  type AwayTiming,
  Replication,
} from "./replication.js";
import { type StartSendingThread, startSendingThread } from "./send/sender.js";
import type { SendTarget } from "./target-address.js";

export interface ReplicationsOptions extends AwaySources {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly start?: StartSendingThread;
  readonly timing?: AwayTiming;
  /** Segments sent at once to each target; default 3. */
  readonly sendsMax?: number;
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

  /** Starts and stops replications: of these targets, those that are on. */
  follow(targets: readonly SendTarget[]): void {
    this.#changing = this.#changing
      .then(() => this.#follow(targets))
      .catch((error: unknown) => this.#logFault("the away targets cannot be followed", error));
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

  locks(): readonly AwayLock[] {
    return [...this.#running.values()].flatMap(({ target, locks }) =>
      locks.states().map((state) => lockOf(target, state)),
    );
  }

  /** Rejects as `AwayControl.lock`. */
  async lock(targetId: Guid, wish: LockWish): Promise<AwayLock> {
    await this.#changing; // a target that was just saved is on by then
    const replication = this.#running.get(targetId);
    if (replication === undefined)
      throw new NvrdError("NOT_FOUND", `no away target ${targetId} is on`, { hint: "see GET /api/away" });
    const state = await replication.locks.add(wish);
    replication.wake();
    return lockOf(replication.target, state);
  }

  async changeLock(id: Guid, change: LockChange): Promise<AwayLock> {
    const replication = this.#withLock(id);
    const state = await replication.locks.change(id, change);
    replication.wake();
    return lockOf(replication.target, state);
  }

  async liftLock(id: Guid): Promise<AwayLock> {
    const replication = this.#withLock(id);
    const state = await replication.locks.lift(id);
    replication.wake();
    return lockOf(replication.target, state);
  }

  #withLock(id: Guid): Replication {
    const replication = [...this.#running.values()].find(({ locks }) => locks.has(id));
    if (replication === undefined)
      throw new NvrdError("NOT_FOUND", `there is no lock ${id}`, { hint: "see GET /api/away/locks" });
    return replication;
  }

  noteChange(change: RecordedChange | undefined): void {
    for (const replication of this.#running.values()) replication.noteChange(change);
  }

  noteRemoved(segment: SegmentSummary): void {
    for (const replication of this.#running.values()) replication.noteRemoved(segment);
  }

  async #follow(targets: readonly SendTarget[]): Promise<void> {
    if (this.#isStopped) return;
    const wanted = new Map(targets.filter(({ isEnabled }) => isEnabled).map((target) => [target.id, target]));
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
        this.#logFault(`nothing is sent to the target ${target.name}`, error);
      }
    }
  }

  /** What is wrong with one target is no matter of the others. */
  async #end(replication: Replication): Promise<void> {
    try {
      await replication.stop();
    } catch (error) {
      this.#logFault(`the target ${replication.target.name} did not end in order`, error);
    }
  }

  #logFault(what: string, error: unknown): void {
    this.#options.log.error(
      { part: "away", what, error: errorText(error) },
      "recordings cannot be sent off the box",
    );
  }
}

function lockOf({ id, name }: SendTarget, state: EvidenceLockState): AwayLock {
  return { ...state, targetId: id, targetName: name };
}
