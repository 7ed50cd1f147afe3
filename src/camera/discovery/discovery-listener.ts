import type { Socket } from "node:dgram";
import { type Clock, type ClockTimer, errorText, type Log } from "../../base/index.js";
import type { DatagramBudget } from "./discovery-budget.js";
import type { DiscoveryNetwork, LanAddress } from "./discovery-network.js";
import {
  DISCOVERY_PORT,
  hear,
  type MessageListener,
  MULTICAST_IPV4,
  MULTICAST_IPV6,
} from "./discovery-probe.js";
import { isStillMember, joinGroup } from "./multicast-membership.js";

/** How often the machine's addresses are checked for changes. */
const REFRESH_MS = 15_000;

export interface DiscoveryListenerOptions {
  readonly network: DiscoveryNetwork;
  readonly budget: DatagramBudget;
  readonly clock: Clock;
  readonly log: Log;
  readonly onMessage: MessageListener;
}

/**
 * Receives the announcements of devices (Hello, Bye, and answers sent to the group) on every interface while it runs. The
 * sockets are bound to the group's address, so that other programs on this machine still receive their messages on the port.
 */
export class DiscoveryListener {
  readonly #options: DiscoveryListenerOptions;
  /** One for IPv4; one per interface for IPv6, because its group address has a zone. */
  readonly #sockets = new Map<string, Socket>();
  /** Addresses on which the group was joined, by their keys. */
  readonly #joined = new Map<string, LanAddress>();
  /** Addresses already logged as unusable. */
  readonly #reported = new Set<string>();
  #timer: ClockTimer | undefined;
  #refreshing: Promise<void> = Promise.resolve();

  constructor(options: DiscoveryListenerOptions) {
    this.#options = options;
  }

  /** Resolves when it listens on the present addresses. Failures are logged per network. */
  async start(): Promise<void> {
    this.#timer = this.#options.clock.setInterval(() => this.#refreshSoon(), REFRESH_MS);
    this.#refreshSoon();
    await this.#refreshing;
  }

  async stop(): Promise<void> {
    this.#timer?.clear();
    await this.#refreshing;
    for (const socket of this.#sockets.values()) socket.close();
    this.#sockets.clear();
    this.#joined.clear();
  }

  #refreshSoon(): void {
    this.#refreshing = this.#refreshing.then(() => this.#refresh());
  }

  async #refresh(): Promise<void> {
    const addresses = this.#options.network.addresses();
    const present = new Set(addresses.map(addressKey));
    for (const [key, own] of this.#joined)
      if (!present.has(key) || !this.#isMember(own)) this.#forget(groupOf(own));
    for (const own of addresses) {
      const key = addressKey(own);
      if (this.#joined.has(key)) continue;
      try {
        await this.#join(own);
        this.#joined.set(key, own);
        this.#reported.delete(key);
      } catch (error) {
        if (this.#reported.has(key)) continue;
        this.#reported.add(key);
        this.#options.log.info(
          { address: key, error: errorText(error) },
          "announcements are not received here",
        );
      }
    }
  }

  async #join(own: LanAddress): Promise<void> {
    joinGroup(await this.#socket(own.family, groupOf(own)), plainGroupOf(own), multicastInterfaceOf(own));
  }

  #isMember(own: LanAddress): boolean {
    const socket = this.#sockets.get(groupOf(own));
    return socket !== undefined && isStillMember(socket, plainGroupOf(own), multicastInterfaceOf(own));
  }

  /** Closes a group's socket, with what it has joined and lost: all of its addresses join again with a new one. */
  #forget(group: string): void {
    this.#sockets.get(group)?.close();
    this.#sockets.delete(group);
    for (const [key, own] of this.#joined) if (groupOf(own) === group) this.#joined.delete(key);
  }

  async #socket(family: "IPv4" | "IPv6", group: string): Promise<Socket> {
    const existing = this.#sockets.get(group);
    if (existing !== undefined) return existing;
    const socket = this.#options.network.createSocket({ family, reuse: true });
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once("error", reject);
        socket.bind(DISCOVERY_PORT, group, () => {
          socket.removeListener("error", reject);
          resolve();
        });
      });
    } catch (error) {
      socket.close();
      throw error;
    }
    hear(socket, "", this.#options);
    this.#sockets.set(group, socket);
    return socket;
  }
}

/** What a socket is bound to. */
function groupOf({ family, interfaceName }: LanAddress): string {
  return family === "IPv4" ? MULTICAST_IPV4 : `${MULTICAST_IPV6}%${interfaceName}`;
}

function plainGroupOf({ family }: LanAddress): string {
  return family === "IPv4" ? MULTICAST_IPV4 : MULTICAST_IPV6;
}

function multicastInterfaceOf({ family, address, interfaceName }: LanAddress): string {
  return family === "IPv4" ? address : `::%${interfaceName}`;
}

function addressKey({ address, interfaceName }: LanAddress): string {
  return `${address}%${interfaceName}`;
}
