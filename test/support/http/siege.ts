import { connect, type Socket } from "node:net";

const AGAIN_MS = 20;

export interface SiegeOptions {
  readonly port: number;
  /** Last numbers of addresses of loopback. */
  readonly addresses: readonly number[];
  /** Connections of each. */
  readonly each: number;
}

/** Strangers who open as many connections as they can, say nothing, and come again when they are closed. */
export class Siege {
  readonly #options: SiegeOptions;
  readonly #sockets = new Set<Socket>();
  readonly #waiting = new Set<NodeJS.Timeout>();
  #isOver = false;
  /** Connections that were closed by the other side. */
  closed = 0;

  constructor(options: SiegeOptions) {
    this.#options = options;
    for (const address of options.addresses)
      for (let at = 0; at < options.each; at += 1) this.#open(`127.0.0.${address}`);
  }

  /** Connections that are open. */
  get open(): number {
    return [...this.#sockets].filter(({ connecting, destroyed }) => !connecting && !destroyed).length;
  }

  end(): void {
    this.#isOver = true;
    for (const timer of this.#waiting) clearTimeout(timer);
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(localAddress: string): void {
    const socket = connect({ host: "127.0.0.1", port: this.#options.port, localAddress });
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.resume();
    socket.once("close", () => {
      this.#sockets.delete(socket);
      if (this.#isOver) return;
      this.closed += 1;
      const timer = setTimeout(() => {
        this.#waiting.delete(timer);
        this.#open(localAddress);
      }, AGAIN_MS);
      this.#waiting.add(timer);
    });
  }
}
