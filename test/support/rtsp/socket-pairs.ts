import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Connections of a test file. */
export class SocketPairs {
  readonly #open: Socket[] = [];

  /** Both ends of a connection; the peer reads nothing until it is told to. */
  async connect(): Promise<{ socket: Socket; peer: Socket }> {
    const server = createServer({ pauseOnConnect: true });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const peer = connect((server.address() as AddressInfo).port, "127.0.0.1");
    peer.pause();
    const [socket] = (await once(server, "connection")) as [Socket];
    server.close();
    this.#open.push(socket, peer);
    return { socket, peer };
  }

  /** Ends all of them. */
  destroy(): void {
    for (const socket of this.#open.splice(0)) socket.destroy();
  }
}

/** The first bytes that a peer reads, at least so many. */
export async function readFrom(peer: Socket, byteLength: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  peer.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
  });
  peer.resume();
  while (length < byteLength) await once(peer, "data");
  return Buffer.concat(chunks);
}
