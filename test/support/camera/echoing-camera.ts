import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";

/** An RTSP server without streams that repeats the address it was asked for wherever it can: status, headers, redirects. */
export class EchoingCamera {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
    server.on("connection", (socket) => this.#serve(socket));
  }

  static async start(): Promise<EchoingCamera> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port was given");
    return new EchoingCamera(server, address.port);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    // The client hangs up when it gives up: nothing to do.
    socket.on("error", () => this.#sockets.delete(socket));
    socket.setEncoding("latin1").on("data", (text: string) => {
      const cseq = /^CSeq: *(\d+)/im.exec(text)?.[1] ?? "0";
      const url = /^\S+ (\S+)/.exec(text)?.[1] ?? "";
      const answer = text.startsWith("DESCRIBE ")
        ? this.#describe(url)
        : `RTSP/1.0 200 OK\r\nPublic: DESCRIBE`;
      socket.write(`${answer}\r\nCSeq: ${cseq}\r\nServer: ${url}\r\n\r\n`);
    });
  }

  #describe(url: string): string {
    if (url.includes("moved")) return `RTSP/1.0 302 Moved\r\nLocation: ${url.replace("moved", "gone")}`;
    if (url.includes("astray"))
      return `RTSP/1.0 302 Moved\r\nLocation: ${url.replace("rtsp://", "rtsp://:0")}`;
    return `RTSP/1.0 404 No stream ${url}`;
  }
}
