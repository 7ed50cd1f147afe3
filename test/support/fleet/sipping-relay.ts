import { connect, createServer, type Server, type Socket } from "node:net";

const SIP_MS = 1000;

/** Between a recorder and its hub: passes everything on, or takes a byte a second of what the recorder sends, as a hub would that hardly reads. */
export class SippingRelay {
  isSipping = false;
  readonly #to: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #hubs = new WeakMap<Socket, Socket>();
  readonly #timer: NodeJS.Timeout;

  private constructor(to: number) {
    this.#to = to;
    this.#server = createServer((box) => this.#join(box));
    this.#timer = setInterval(() => this.#sip(), SIP_MS);
  }

  static async to(port: number): Promise<SippingRelay> {
    const relay = new SippingRelay(port);
    await new Promise<void>((resolve) => relay.#server.listen(0, "127.0.0.1", resolve));
    return relay;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(box: Socket): void {
    const hub = connect(this.#to, "127.0.0.1");
    this.#sockets.add(box);
    for (const [one, other] of [
      [box, hub],
      [hub, box],
    ] as const) {
      one.on("error", () => one.destroy());
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
    hub.pipe(box);
    // Read by hand: what is not read stays at the recorder, behind the kernel's windows.
    box.on("readable", () => {
      if (!this.isSipping) pass(box, hub, box.readableLength);
    });
    hub.on("drain", () => {
      if (!this.isSipping) pass(box, hub, box.readableLength);
    });
    this.#hubs.set(box, hub);
  }

  #sip(): void {
    for (const box of this.#sockets) {
      const hub = this.#hubs.get(box);
      if (hub !== undefined) pass(box, hub, this.isSipping ? 1 : box.readableLength);
    }
  }
}

function pass(from: Socket, to: Socket, bytes: number): void {
  if (bytes === 0 || to.destroyed || to.writableNeedDrain) return;
  const chunk = from.read(Math.min(bytes, from.readableLength)) as Buffer | null;
  if (chunk !== null) to.write(chunk);
}
