import type { AwayControl, AwayLock } from "../../../../src/away/away-control.js";
import type { BucketState } from "../../../../src/away/bucket-state.js";
import type { LockChange, LockWish } from "../../../../src/away/evidence-locks.js";
import type { AwayTargetState } from "../../../../src/away/replication.js";
import type { ReturnState } from "../../../../src/away/returns.js";
import type { TargetProblem } from "../../../../src/away/target-check.js";
import type { Clock } from "../../../../src/base/time/clock.js";
import { NvrdError } from "../../../../src/base/value/errors.js";
import { type Guid, newGuid } from "../../../../src/base/value/guid.js";
import type { AwayTarget } from "../../../../src/site/model/away-target.js";

/** Object storage that works, or has the problem that a test gives it. */
export class MemoryAway implements AwayControl {
  readonly #clock: Clock;
  problem: TargetProblem | undefined;
  running: AwayTargetState[] = [];
  coming: ReturnState[] = [];
  readonly checked: AwayTarget[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The targets of the configuration. */
  configured: () => readonly AwayTarget[] = () => [];

  targets(): readonly AwayTarget[] {
    return this.configured();
  }

  states(): readonly AwayTargetState[] {
    return this.running;
  }

  returns(): readonly ReturnState[] {
    return this.coming;
  }

  locked: AwayLock[] = [];
  bucketNow: BucketState = { hasLock: true, hasVersions: true, rules: [], proposed: [] };
  readonly rulesSet: string[] = [];

  locks(): readonly AwayLock[] {
    return this.locked;
  }

  async lock(targetId: Guid, wish: LockWish): Promise<AwayLock> {
    const target = this.running.find(({ id }) => id === targetId);
    if (target === undefined) throw new NvrdError("NOT_FOUND", "no such target is on");
    this.#check(wish);
    if (this.bucketNow.hasLock === false) throw new NvrdError("CONFLICT", "the bucket has no object lock");
    const state = { segments: 0, done: 0, isCounting: true, problem: undefined, isLifted: false };
    const createdUs = this.#clock.nowUs();
    const lock = { ...wish, ...state, id: newGuid(), createdUs, targetId, targetName: target.name };
    this.locked = [...this.locked, lock];
    return lock;
  }

  async changeLock(id: Guid, change: LockChange): Promise<AwayLock> {
    const before = this.#find(id);
    const now = { ...before, ...change };
    this.#check(now);
    const isWeaker = now.mode !== "compliance" || now.untilUs < before.untilUs;
    if (isWeaker) this.#requireLoose(before);
    return this.#replace(before, now);
  }

  async liftLock(id: Guid): Promise<AwayLock> {
    const before = this.#find(id);
    this.#requireLoose(before);
    return this.#replace(before, { ...before, isLifted: true });
  }

  #check({ fromUs, toUs, mode, untilUs, isHeld }: Omit<LockWish, "channelId">): void {
    const isOver = mode === "none" ? !isHeld : untilUs <= this.#clock.nowUs();
    if (fromUs >= toUs || isOver) throw new NvrdError("CONFLICT", "nothing would be locked");
  }

  #requireLoose({ mode, untilUs }: AwayLock): void {
    if (mode === "compliance" && untilUs > this.#clock.nowUs())
      throw new NvrdError("CONFLICT", "it is locked in compliance mode");
  }

  #find(id: Guid): AwayLock {
    const lock = this.locked.find((known) => known.id === id && !known.isLifted);
    if (lock === undefined) throw new NvrdError("NOT_FOUND", "no such lock");
    return lock;
  }

  #replace(before: AwayLock, now: AwayLock): AwayLock {
    this.locked = this.locked.map((lock) => (lock === before ? now : lock));
    return now;
  }

  async bucket(): Promise<BucketState> {
    return this.bucketNow;
  }

  async setRules({ id }: AwayTarget): Promise<BucketState> {
    this.rulesSet.push(id);
    return this.bucketNow;
  }

  async check(target: AwayTarget): Promise<TargetProblem | undefined> {
    this.checked.push(target);
    return this.problem;
  }
}
