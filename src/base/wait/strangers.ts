import type { Clock } from "../time/clock.js";
import { US_PER_SECOND } from "../value/units.js";

/** Who has sent nothing for so long is silent. */
const SILENT_US = US_PER_SECOND;
/**
 * Who has sent something may take so long: where many come at once, a busy machine needs seconds for a handshake, and one that is
 * ended for the next one is begun anew.
 */
const BEGUN_US = 5 * US_PER_SECOND;
/** Addresses that are remembered, from which somebody known came. */
const KNOWN_MAX = 4096;

/** A connection. */
export interface Comer {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** A connection that may be closed. */
export interface NewComer extends Comer {
  /** Bytes that it has sent, as sockets of TCP count them. */
  readonly bytesRead?: number | undefined;
  destroy(): unknown;
  once(event: "close", listener: () => void): unknown;
}

export interface StrangersOptions {
  /** Connections of strangers, of all addresses but those from which somebody known came. */
  readonly max: number;
  /** Of one address, whoever came from there. */
  readonly perAddressMax: number;
  readonly clock: Pick<Clock, "monotonicUs">;
}

/** Of a port that may have so many connections, at the most a quarter is strangers', and half of that an address's. */
export function strangersShare(
  connectionsMax: number,
  { max, perAddressMax }: Omit<StrangersOptions, "clock">,
): Omit<StrangersOptions, "clock"> {
  const share = Math.min(max, Math.ceil(connectionsMax / 4));
  return { max: share, perAddressMax: Math.min(perAddressMax, Math.ceil(share / 2)) };
}

interface Stranger {
  readonly address: string;
  readonly sinceUs: number;
  readonly connection: NewComer;
}

/**
 * Connections of whom nobody knows yet: in their handshake, or to join. They have a share of a port's connections, so that who is known
 * has room. Within it a newcomer takes the place of the oldest of the address that has the most, so that who holds connections
 * does not keep others out; and where somebody known came from before, there is room for its next one whatever all others do.
 */
export class Strangers {
  readonly #options: StrangersOptions;
  /** By address and port; the oldest first. */
  readonly #strangers = new Map<string, Stranger>();
  readonly #counts = new Map<string, number>();
  /** The one that came last is the last. */
  readonly #known = new Set<string>();

  constructor(options: StrangersOptions) {
    this.#options = options;
  }

  /** Counts a connection that has just been opened, or closes it, or another one for it. */
  add(connection: NewComer): void {
    const address = plainAddress(connection.remoteAddress);
    if (!this.#makeRoom(address)) {
      connection.destroy();
      return;
    }
    const place = placeOf(connection);
    this.#strangers.set(place, { address, connection, sinceUs: this.#options.clock.monotonicUs() });
    this.#counts.set(address, this.#countOf(address) + 1);
    connection.once("close", () => this.#remove(place));
  }

  /** It is no stranger's. */
  known(connection: Comer): void {
    this.#remove(placeOf(connection));
    this.expect(connection.remoteAddress);
  }

  /** Somebody known comes from this address. */
  expect(from: string | undefined): void {
    const address = plainAddress(from);
    this.#known.delete(address);
    this.#known.add(address);
    const [oldest] = this.#known;
    if (this.#known.size > KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
  }

  #makeRoom(address: string): boolean {
    const { max, perAddressMax } = this.#options;
    if (this.#countOf(address) >= perAddressMax) return this.#close(this.#oldestOf(address), true);
    if (this.#known.has(address) || this.#elsewhere() < max) return true;
    const most = this.#most();
    // Of those that have as much the idle ones go: none of them gains by opening anew.
    return this.#close(this.#oldestOf(most), this.#countOf(most) <= this.#countOf(address) + 1);
  }

  #close(place: string | undefined, onlyIfIdle: boolean): boolean {
    const stranger = place === undefined ? undefined : this.#strangers.get(place);
    if (place === undefined || stranger === undefined) return false;
    if (onlyIfIdle && !this.#isIdle(stranger)) return false;
    this.#remove(place);
    stranger.connection.destroy();
    return true;
  }

  #isIdle({ sinceUs, connection }: Stranger): boolean {
    const idleUs = (connection.bytesRead ?? 0) === 0 ? SILENT_US : BEGUN_US;
    return this.#options.clock.monotonicUs() - sinceUs >= idleUs;
  }

  /** Strangers of addresses from which nobody known came. */
  #elsewhere(): number {
    let count = this.#strangers.size;
    for (const [address, ofIt] of this.#counts) if (this.#known.has(address)) count -= ofIt;
    return count;
  }

  #most(): string {
    let most = "";
    for (const [address, count] of this.#counts)
      if (count > this.#countOf(most) && !this.#known.has(address)) most = address;
    return most;
  }

  #oldestOf(address: string): string | undefined {
    for (const [place, stranger] of this.#strangers) if (stranger.address === address) return place;
    return undefined;
  }

  #countOf(address: string): number {
    return this.#counts.get(address) ?? 0;
  }

  #remove(place: string): void {
    const stranger = this.#strangers.get(place);
    if (stranger === undefined) return;
    this.#strangers.delete(place);
    const count = this.#countOf(stranger.address) - 1;
    if (count === 0) this.#counts.delete(stranger.address);
    else this.#counts.set(stranger.address, count);
  }
}

/** An IPv4 address without the clothes of IPv6. */
function plainAddress(address = ""): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}

function placeOf({ remoteAddress, remotePort }: Comer): string {
  return `${remoteAddress} ${remotePort}`;
}
