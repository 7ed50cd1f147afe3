import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A link that is cut when so many bytes of a connection went there. */
export class CutLink {
  cutsAfter = Number.POSITIVE_INFINITY;
  cuts = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(to: number) {
    this.#server = createServer((near) => this.#carry(near, connect(to, "127.0.0.1")));
  }

  static async to(port: number): Promise<CutLink> {
    const link = new CutLink(port);
    link.#server.listen(0, "127.0.0.1");
    await once(link.#server, "listening");
    return link;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #carry(near: Socket, far: Socket): void {
    let bytes = 0;
    const end = (): void => {
      for (const socket of [near, far]) {
        socket.destroy();
        this.#sockets.delete(socket);
      }
    };
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on("error", end);
      socket.on("close", end);
    }
    near.on("data", (piece) => {
      bytes += piece.length;
      if (bytes <= this.cutsAfter) {
        far.write(piece);
        return;
      }
      this.cuts += 1;
      end();
    });
    far.on("data", (piece) => near.write(piece));
  }
}
