import type { Duplex } from "node:stream";
import { loadNativeAddon } from "../../base/index.js";

/** Sends on socket `fd` without waiting. Returns the number of bytes that the kernel took, or less than 0 for none. */
type Send = (fd: number, bytes: Uint8Array) => number;

const { send } = loadNativeAddon().functions;
const sendOn: Send | undefined = typeof send === "function" ? (send as Send) : undefined;

/** Sends past Node's stream, which is a seventh of what a viewer costs, and most of what a receiver report does. */
export class DirectSender {
  readonly #socket: Duplex;
  /** Less than 0 where the socket is none of TCP's. Asked for once: it is as dear as all else that is done here. */
  readonly #fd: number;

  constructor(socket: Duplex) {
    this.#socket = socket;
    // Undocumented; the handle is there from a connection's first moment to its `destroy`.
    const { _handle: handle } = socket as unknown as { readonly _handle?: { readonly fd?: unknown } | null };
    this.#fd = typeof handle?.fd === "number" ? handle.fd : -1;
  }

  /**
   * Returns how many of the bytes were sent; the stream sends the others, and reports what is wrong with the socket. 0 while
   * the stream has bytes of its own, which come first, and without the addon.
   */
  send(bytes: Uint8Array): number {
    const fd = this.fd;
    return sendOn === undefined || fd < 0 ? 0 : Math.max(0, sendOn(fd, bytes));
  }

  /** The socket's descriptor while bytes may go past its stream; less than 0 where that has some of its own, or is no socket. */
  get fd(): number {
    const socket = this.#socket;
    // Once the socket is destroyed, its descriptor may be another one's.
    if (this.#fd < 0 || socket.destroyed || !socket.writable || socket.writableLength > 0) return -1;
    return this.#fd;
  }
}
