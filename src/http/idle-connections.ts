import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { type Clock, errorText, type Log, loadNativeAddon } from "../base/index.js";
import { type Peer, peersOf } from "./connection-counter.js";

/** How long a reading serves: it takes some milliseconds, and is made only while a port is full. */
const READING_MS = 250;
/** The kernel's tables of connections: proc(5). */
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
const DESCRIPTORS = "/proc/self/fd";

/** What the kernel says of this process's connections, and how one is ended; a test gives its own. */
export interface ConnectionTable {
  /** The kernel's tables as text. */
  read(): string;
  /** What each descriptor of this process is open on, as `socket:[inode]`. */
  descriptors(): ReadonlyMap<number, string>;
  /** What a descriptor is open on now; undefined: on nothing. */
  opened(descriptor: number): string | undefined;
  /** Ends the connection; whoever has it open sees its end. Whether it could be ended. */
  end(descriptor: number): boolean;
}

export interface IdleConnectionsOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly table?: ConnectionTable;
}

/**
 * Makes room at a port that is full: ends the oldest of its connections that may go. The HTTP library does not say which
 * connection is whose, so the kernel is asked.
 */
export class IdleConnections {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #table: ConnectionTable;
  /** When each connection was first seen, by inode. */
  #seenUs = new Map<string, number>();
  /** Of the last reading, oldest first, those that were not ended yet. */
  #oldest: { readonly peer: Peer; readonly descriptor: number }[] = [];
  #readUs = Number.NEGATIVE_INFINITY;

  constructor({ clock, log, table = KERNEL_TABLE }: IdleConnectionsOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#table = table;
  }

  /** Ends the oldest connection to `port` from an address that may go. False when there is none. */
  endOldest(port: number, mayGo: (address: string) => boolean): boolean {
    const nowUs = this.#clock.monotonicUs();
    if (nowUs - this.#readUs >= READING_MS * 1000) this.#read(port, nowUs);
    for (let next = this.#oldest.shift(); next !== undefined; next = this.#oldest.shift()) {
      const { peer, descriptor } = next;
      // The number may be another file's by now.
      const isSame = this.#table.opened(descriptor) === `socket:[${peer.inode}]`;
      if (isSame && mayGo(peer.address) && this.#table.end(descriptor)) return true;
    }
    return false;
  }

  #read(port: number, nowUs: number): void {
    this.#readUs = nowUs;
    this.#oldest = [];
    try {
      const peers = peersOf(this.#table.read(), port);
      const seenUs = new Map(peers.map(({ inode }) => [inode, this.#seenUs.get(inode) ?? nowUs]));
      this.#seenUs = seenUs;
      const byInode = new Map([...this.#table.descriptors()].map(([descriptor, what]) => [what, descriptor]));
      this.#oldest = peers
        .flatMap((peer) => {
          const descriptor = byInode.get(`socket:[${peer.inode}]`);
          return descriptor === undefined
            ? []
            : [{ peer, descriptor, seenUs: seenUs.get(peer.inode) ?? nowUs }];
        })
        .sort((a, b) => a.seenUs - b.seenUs || Number(a.peer.inode) - Number(b.peer.inode));
    } catch (error) {
      this.#log.warn({ error: errorText(error) }, "a full port: idle connections cannot be found");
    }
  }
}

const endConnection = loadNativeAddon().functions.endConnection as
  | ((descriptor: number) => boolean)
  | undefined;

const KERNEL_TABLE: ConnectionTable = {
  read: () => TABLES.map(readTable).join("\n"),
  descriptors: () =>
    new Map(readdirSync(DESCRIPTORS).map((name) => [Number(name), KERNEL_TABLE.opened(Number(name)) ?? ""])),
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

function readTable(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch (error) {
    // A kernel without IPv6 does not have this table.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
