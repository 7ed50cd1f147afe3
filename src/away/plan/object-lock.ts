import type { Interval } from "../../base/index.js";
import type { AwayLockMode } from "../../site/index.js";
import type { LockMode, ObjectLock, Retention } from "../s3/s3-bucket.js";

/** What is wanted for a time of a channel; `isLifted`: its objects are to be released. */
export interface WantedLock extends Interval {
  readonly mode: AwayLockMode;
  /** Unix microseconds; of no meaning where `mode` is none. */
  readonly untilUs: number;
  readonly isHeld: boolean;
  readonly isLifted: boolean;
}

/** The lock that an object should have. Compliance cannot be taken back, so governance gives way to it for as long as it lasts. */
export function lockFor(wanted: readonly WantedLock[], nowUs: number): ObjectLock {
  const active = wanted.filter(({ isLifted }) => !isLifted);
  const latest = (mode: LockMode): Retention | undefined => {
    const times = active.filter((lock) => lock.mode === mode).map(({ untilUs }) => untilUs);
    const untilUs = Math.max(0, ...times);
    return untilUs > nowUs ? { mode, untilUs } : undefined;
  };
  return {
    retention: latest("compliance") ?? latest("governance"),
    isHeld: active.some(({ isHeld }) => isHeld),
  };
}

/** As journals keep it. */
export function lockText({ retention, isHeld }: ObjectLock): string {
  const kept = retention === undefined ? "free" : `${retention.mode} ${retention.untilUs}`;
  return isHeld ? `${kept} held` : kept;
}

/** Undefined: it says nothing that is understood, so the server is asked. */
export function readLockText(text: string | undefined): ObjectLock | undefined {
  const found = /^(?:free|(governance|compliance) (\d+))( held)?$/.exec(text ?? "");
  if (found === null) return undefined;
  const [, mode, until, held] = found;
  const retention = mode === undefined ? undefined : { mode: mode as LockMode, untilUs: Number(until) };
  return { retention, isHeld: held !== undefined };
}

/** A lock that has lapsed is none. */
export function isSameLock(a: ObjectLock, b: ObjectLock, nowUs: number): boolean {
  const lasting = ({ retention }: ObjectLock): Retention | undefined =>
    retention !== undefined && retention.untilUs > nowUs ? retention : undefined;
  const [one, other] = [lasting(a), lasting(b)];
  return a.isHeld === b.isHeld && one?.mode === other?.mode && one?.untilUs === other?.untilUs;
}
