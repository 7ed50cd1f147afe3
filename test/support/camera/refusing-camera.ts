import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";

const REQUEST_BYTES_MAX = 16 * 1024;

/** An RTSP server that refuses every credential, and counts those it was sent. */
export class RefusingCamera {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  #attempts = 0;

  private constructor(server: Server, sockets: Set<Socket>, port: number) {
    this.#server = server;
    this.#sockets = sockets;
    this.url = `rtsp://127.0.0.1:${port}/stream`;
  }

  static async start(): Promise<RefusingCamera> {
    const sockets = new Set<Socket>();
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port was given");
    const camera = new RefusingCamera(server, sockets, address.port);
    server.on("connection", (socket) => camera.#serve(socket));
    return camera;
  }

  /** Requests that carried credentials. */
  get attempts(): number {
    return this.#attempts;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    // The client hangs up when it gives up: nothing to do.
    socket.on("error", () => this.#sockets.delete(socket));
    let text = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      text = (text + chunk).slice(-REQUEST_BYTES_MAX);
      for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
        socket.write(this.#answer(text.slice(0, end)));
        text = text.slice(end + 4);
      }
    });
  }

  #answer(request: string): string {
    const cseq = /^CSeq: *(\d+)/im.exec(request)?.[1] ?? "0";
    if (request.startsWith("OPTIONS ")) {
      return `RTSP/1.0 200 OK\r\nCSeq: ${cseq}\r\nPublic: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN\r\n\r\n`;
    }
    if (/^Authorization:/im.test(request)) this.#attempts += 1;
    return `RTSP/1.0 401 Unauthorized\r\nCSeq: ${cseq}\r\nWWW-Authenticate: Basic realm="camera"\r\n\r\n`;
  }
}
