import type { Socket as DatagramSocket } from "node:dgram";
import type {
  ClientSocket,
  Dialer,
  Endpoint,
  SocketEvents,
} from "../../../src/rtsp/client/socket/client-socket.js";

/**
 * A camera without a network that has as much to send as is read: `next` gives its bytes. It sends nothing while reading
 * is stopped, and each turn of the event loop as much as one read takes otherwise.
 */
export class FloodingCamera implements Dialer {
  /** Bytes that were read. */
  sent = 0;
  #isReading = true;
  #isOpen = true;
  #left: Buffer = Buffer.alloc(0);
  readonly #next: () => Buffer | undefined;

  constructor(next: () => Buffer | undefined) {
    this.#next = next;
  }

  dial(_endpoint: Endpoint, events: SocketEvents): ClientSocket {
    const pump = (): void => {
      if (!this.#isOpen) return;
      if (this.#isReading) this.#feed(events);
      setImmediate(pump);
    };
    setImmediate(() => {
      events.connected();
      pump();
    });
    const close = (): void => {
      this.#isOpen = false;
    };
    return {
      remoteAddress: "192.0.2.1",
      localAddress: "192.0.2.2",
      unsentBytes: 0,
      write: () => undefined,
      setReading: (on) => {
        this.#isReading = on;
      },
      canReadNow: true,
      readNow: () => {
        for (let reads = 0; reads < 32 && this.#feed(events); reads += 1);
        return true;
      },
      end: close,
      destroy: close,
    };
  }

  datagramSocket(): DatagramSocket {
    throw new Error("this camera has no UDP");
  }

  /** One read. False when no more is taken. */
  #feed(events: SocketEvents): boolean {
    const target = events.target();
    let filled = 0;
    while (filled < target.length) {
      if (this.#left.length === 0) this.#left = this.#next() ?? this.#left;
      if (this.#left.length === 0) break;
      const taken = this.#left.copy(target, filled);
      this.#left = this.#left.subarray(taken);
      filled += taken;
    }
    this.sent += filled;
    return filled > 0 && events.received(filled, filled === target.length);
  }
}
