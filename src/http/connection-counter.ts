import { countPeers } from "./connection-rows.js";
import type { ConnectionReading, KernelConnections } from "./kernel-connections.js";
import { normalizeAddress } from "./request.js";

/** Counts the connections of a port by peer address, as the kernel said last. */
export class ConnectionCounter {
  readonly #kernel: Pick<KernelConnections, "reading">;
  #counted: ConnectionReading | undefined;
  #counts: ReadonlyMap<string, number> = new Map();

  constructor(kernel: Pick<KernelConnections, "reading">) {
    this.#kernel = kernel;
  }

  /** Connections from `address`. */
  count(address: string): number {
    return this.counts().get(normalizeAddress(address)) ?? 0;
  }

  /** The same of all addresses; another map after each reading. */
  counts(): ReadonlyMap<string, number> {
    const { reading } = this.#kernel;
    if (reading !== this.#counted) {
      this.#counted = reading;
      this.#counts = countPeers(reading.peers);
    }
    return this.#counts;
  }
}
