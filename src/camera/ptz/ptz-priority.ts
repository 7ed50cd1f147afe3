import { type Clock, type Guid, NvrdError, US_PER_SECOND } from "../../base/index.js";

/** How long a user keeps a camera after the last command or the end of its movement, in milliseconds. */
export const PTZ_HOLD_MS = 10_000;

/** The names in use, lowest first; a number is its own rank. */
const RANKS: ReadonlyMap<string, number> = new Map([
  ["lowest", 0],
  ["low", 1],
  ["belownormal", 1],
  ["middle", 2],
  ["medium", 2],
  ["normal", 2],
  ["abovenormal", 3],
  ["high", 3],
  ["highest", 4],
]);
/** Rank of any other name. */
const RANK_DEFAULT = 1;

/** The rank of a group's `PtzPriority`; greater is higher. */
export function ptzRank(priority: string): number {
  const word = priority.replace(/[\s_-]/g, "").toLowerCase();
  return RANKS.get(word) ?? (/^\d{1,6}$/.test(word) ? Number(word) : RANK_DEFAULT);
}

/** A user who moves a camera. */
export interface PtzUser {
  readonly id: Guid;
  readonly name: string;
  /** `PtzPriority` of the user's group. */
  readonly priority: string;
}

interface Hold {
  readonly user: PtzUser;
  readonly sinceUs: number;
  untilUs: number;
}

/** Which user holds which camera. */
export class PtzHolds {
  readonly #clock: Clock;
  readonly #holds = new Map<Guid, Hold>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Reserves the camera for the user while the command moves it, and for `PTZ_HOLD_MS` after that. Returns whether it was taken
   * from another user. Throws NvrdError IN_USE while a user of higher priority holds it.
   */
  take(channelId: Guid, user: PtzUser, movesMs: number): boolean {
    const nowUs = this.#clock.monotonicUs();
    const untilUs = nowUs + (movesMs + PTZ_HOLD_MS) * 1000;
    const hold = this.#holds.get(channelId);
    const isFree = hold === undefined || hold.untilUs <= nowUs;
    if (!isFree && hold.user.id === user.id) {
      hold.untilUs = Math.max(hold.untilUs, untilUs);
      return false;
    }
    if (!isFree && ptzRank(hold.user.priority) > ptzRank(user.priority)) throw inUse(hold, nowUs);
    this.#holds.set(channelId, { user, sinceUs: nowUs, untilUs });
    return !isFree;
  }

  forget(channelId: Guid): void {
    this.#holds.delete(channelId);
  }
}

function inUse({ user, sinceUs, untilUs }: Hold, nowUs: number): NvrdError {
  const sinceSeconds = Math.round((nowUs - sinceUs) / US_PER_SECOND);
  const retryAfterMs = Math.ceil((untilUs - nowUs) / 1000);
  const words = `${user.name} (priority ${user.priority}) has moved this camera for ${sinceSeconds} s`;
  const hint = `it is free ${PTZ_HOLD_MS / 1000} s after the last movement`;
  return new NvrdError("IN_USE", words, { hint, retryAfterMs });
}
