import type { Socket } from "node:net";

/** Connections of whom the hub does not know: in their handshake, or to join. */
export const STRANGERS_MAX = 256;
/** Of one address: many boxes may be behind one router, and come back together. */
export const STRANGERS_PER_ADDRESS_MAX = 64;

type Place = Pick<Socket, "remoteAddress" | "remotePort">;

/**
 * The share of a hub's connections that is for strangers: whoever opens more is disconnected at once, so that boxes always have room. A
 * connection leaves it when its certificate is that of a box, or when it ends.
 */
export class Strangers {
  readonly #places = new Set<string>();
  readonly #counts = new Map<string, number>();

  /** Counts a connection that has just been opened; false: there is no room, and it has to be closed. */
  add(socket: Socket): boolean {
    const address = socket.remoteAddress ?? "";
    const count = this.#counts.get(address) ?? 0;
    if (this.#places.size >= STRANGERS_MAX || count >= STRANGERS_PER_ADDRESS_MAX) return false;
    const place = placeOf(socket);
    this.#places.add(place);
    this.#counts.set(address, count + 1);
    socket.once("close", () => this.#remove(place, address));
    return true;
  }

  /** It is a box's. */
  known(socket: Place): void {
    this.#remove(placeOf(socket), socket.remoteAddress ?? "");
  }

  #remove(place: string, address: string): void {
    if (!this.#places.delete(place)) return;
    const count = (this.#counts.get(address) ?? 1) - 1;
    if (count === 0) this.#counts.delete(address);
    else this.#counts.set(address, count);
  }
}

function placeOf({ remoteAddress, remotePort }: Place): string {
  return `${remoteAddress} ${remotePort}`;
}
