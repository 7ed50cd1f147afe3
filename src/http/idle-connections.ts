import { readdirSync, readlinkSync } from "node:fs";
import { type Clock, errorText, type Log, loadNativeAddon } from "../base/index.js";
import type { Peer } from "./connection-rows.js";
import type { ConnectionReading, KernelConnections } from "./kernel-connections.js";

const DESCRIPTORS = "/proc/self/fd";

/** What this process has open, and how a connection is ended; a test gives its own. */
export interface OpenDescriptors {
  /** What each descriptor of this process is open on, as `socket:[inode]`. */
  descriptors(): ReadonlyMap<number, string>;
  /** What a descriptor is open on now; undefined: on nothing. */
  opened(descriptor: number): string | undefined;
  /** Ends the connection; whoever has it open sees its end. Whether it could be ended. */
  end(descriptor: number): boolean;
}

export interface IdleConnectionsOptions {
  readonly kernel: Pick<KernelConnections, "reading">;
  readonly clock: Clock;
  readonly log: Log;
  readonly own?: OpenDescriptors;
}

/**
 * Makes room at a port that is full: ends the oldest of its connections that may go. The HTTP library does not say which
 * connection is whose, so the kernel is asked. It does not say when a connection was made: the oldest is the one that was in its
 * tables first, and of those that a reading has shown together any.
 */
export class IdleConnections {
  readonly #options: IdleConnectionsOptions;
  readonly #own: OpenDescriptors;
  /** When each connection was first seen, by inode. */
  #seenUs = new Map<string, number>();
  /** Of the last reading, oldest first, those that were not ended yet. */
  #oldest: { readonly peer: Peer; readonly descriptor: number }[] = [];
  #listed: ConnectionReading | undefined;

  constructor(options: IdleConnectionsOptions) {
    this.#options = options;
    this.#own = options.own ?? OWN_DESCRIPTORS;
  }

  /** Ends the oldest connection from an address that may go. False when there is none. */
  endOldest(mayGo: (address: string) => boolean): boolean {
    const { reading } = this.#options.kernel;
    if (reading !== this.#listed) this.#list(reading);
    for (let next = this.#oldest.shift(); next !== undefined; next = this.#oldest.shift()) {
      const { peer, descriptor } = next;
      // The number may be another file's by now.
      const isSame = this.#own.opened(descriptor) === `socket:[${peer.inode}]`;
      if (isSame && mayGo(peer.address) && this.#own.end(descriptor)) return true;
    }
    return false;
  }

  #list(reading: ConnectionReading): void {
    const { clock, log } = this.#options;
    const nowUs = clock.monotonicUs();
    this.#listed = reading;
    this.#oldest = [];
    try {
      const { peers } = reading;
      const seenUs = new Map(peers.map(({ inode }) => [inode, this.#seenUs.get(inode) ?? nowUs]));
      this.#seenUs = seenUs;
      const byInode = new Map([...this.#own.descriptors()].map(([descriptor, what]) => [what, descriptor]));
      this.#oldest = peers
        .flatMap((peer) => {
          const descriptor = byInode.get(`socket:[${peer.inode}]`);
          return descriptor === undefined
            ? []
            : [{ peer, descriptor, seenUs: seenUs.get(peer.inode) ?? nowUs }];
        })
        .sort((a, b) => a.seenUs - b.seenUs || Number(a.peer.inode) - Number(b.peer.inode));
    } catch (error) {
      log.warn({ error: errorText(error) }, "a full port: idle connections cannot be found");
    }
  }
}

const endConnection = loadNativeAddon().functions.endConnection as
  | ((descriptor: number) => boolean)
  | undefined;

const OWN_DESCRIPTORS: OpenDescriptors = {
  descriptors: () =>
    new Map(
      readdirSync(DESCRIPTORS).map((name) => [Number(name), OWN_DESCRIPTORS.opened(Number(name)) ?? ""]),
    ),
  opened: (descriptor) => {
    try {
      return readlinkSync(`${DESCRIPTORS}/${descriptor}`);
    } catch {
      // It was closed.
      return undefined;
    }
  },
  end: (descriptor) => endConnection?.(descriptor) === true,
};
