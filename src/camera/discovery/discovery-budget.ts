import { type Allowance, type Clock, PeerBudget } from "../../base/index.js";
import { bytesCost } from "../xml/xml-cost.js";

/** Of one address: a gateway's 64 devices that answer three probes, a hundred units each. */
const ADDRESS: Allowance = { burst: 40_000, perSecond: 10_000 };
/** In all: a thousand devices that do, and then a thirtieth of a core's time. */
export const UNINVITED: Allowance = { burst: 300_000, perSecond: 100_000 };
/** Of what a scan asked for: five thousand answers to each of three probes, and then a tenth of a core's time. */
export const INVITED: Allowance = { burst: 2_500_000, perSecond: 300_000 };
/** What each datagram costs before anything is known of it, in units: receiving it, and counting. */
const DATAGRAM_COST = 25;
/** What a device in it costs besides its elements: its addresses are read, and it is looked up. */
const DEVICE_COST = 50;

/**
 * Bounds how much of what comes is looked at, by sender and in all, by what that costs: a flood costs its sender its own
 * answers first.
 */
export class DatagramBudget {
  readonly #budget: PeerBudget;

  constructor(clock: Clock, all = UNINVITED) {
    this.#budget = new PeerBudget({ clock, peer: ADDRESS, all });
  }

  /** Whether a datagram is within the budget. */
  takes(address: string, bytes: number): boolean {
    if (this.#budget.waitMs(address) > 0) return false;
    this.#budget.charge(address, DATAGRAM_COST + bytesCost(bytes));
    return true;
  }

  /** What was read in a datagram that was taken. */
  charge(address: string, read: { readonly tokens: number; readonly devices: number }): void {
    this.#budget.charge(address, read.tokens + read.devices * DEVICE_COST);
  }
}
