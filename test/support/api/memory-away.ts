import type {
  AwayControl,
  AwayLock,
  AwayTargetState,
  BucketState,
  LockChange,
  LockWish,
  ReturnState,
  TargetProblem,
} from "../../../src/away/index.js";
import { type Guid, NvrdError, newGuid } from "../../../src/base/index.js";
import type { AwayTarget } from "../../../src/site/index.js";

/** Object storage that works, or has the problem that a test gives it. */
export class MemoryAway implements AwayControl {
  problem: TargetProblem | undefined;
  running: AwayTargetState[] = [];
  coming: ReturnState[] = [];
  readonly checked: AwayTarget[] = [];

  states(): readonly AwayTargetState[] {
    return this.running;
  }

  returns(): readonly ReturnState[] {
    return this.coming;
  }

  locked: AwayLock[] = [];
  /** What the storage says when it is asked for a lock; undefined: it has locks. */
  lockFault: NvrdError | undefined;
  bucketNow: BucketState = { hasLock: true, hasVersions: true, rules: [], proposed: [] };
  readonly rulesSet: string[] = [];

  locks(): readonly AwayLock[] {
    return this.locked;
  }

  async lock(targetId: Guid, wish: LockWish): Promise<AwayLock> {
    if (this.lockFault !== undefined) throw this.lockFault;
    const target = this.running.find(({ id }) => id === targetId);
    if (target === undefined) throw new NvrdError("NOT_FOUND", "no such target is on");
    const state = { segments: 0, done: 0, isCounting: true, problem: undefined, isLifted: false };
    const lock = { ...wish, ...state, id: newGuid(), createdUs: 1, targetId, targetName: target.name };
    this.locked = [...this.locked, lock];
    return lock;
  }

  async changeLock(id: Guid, change: LockChange): Promise<AwayLock> {
    return this.#replace(id, change);
  }

  async liftLock(id: Guid): Promise<AwayLock> {
    return this.#replace(id, { isLifted: true });
  }

  #replace(id: Guid, change: Partial<AwayLock>): AwayLock {
    if (this.lockFault !== undefined) throw this.lockFault;
    const before = this.locked.find((lock) => lock.id === id);
    if (before === undefined) throw new NvrdError("NOT_FOUND", "no such lock");
    const now = { ...before, ...change };
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
