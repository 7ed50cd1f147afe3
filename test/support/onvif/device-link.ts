import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { FaultyLink } from "../camera/faulty-link.js";

/** The way to a recorder as an ONVIF device, both HTTP and RTSP: while the cable is out, nothing passes. */
export class DeviceLink {
  readonly #http: Server;
  readonly #rtsp: FaultyLink;

  private constructor(http: Server, rtsp: FaultyLink) {
    this.#http = http;
    this.#rtsp = rtsp;
  }

  static async start(httpPort: number, rtspPort: number): Promise<DeviceLink> {
    const rtsp = await FaultyLink.start(rtspPort);
    const http = createServer((asked, answered) => {
      if (rtsp.isOut) {
        asked.socket.destroy();
        return;
      }
      const { method, url: path, headers } = asked;
      const passed = request({ host: "127.0.0.1", port: httpPort, method, path, headers }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on("data", (piece: Buffer) => pieces.push(piece));
        answer.on("end", () => {
          // The device says its own port of RTSP; the way to it begins here.
          const text = Buffer.concat(pieces).toString("latin1").replaceAll(`:${rtspPort}/`, `:${rtsp.port}/`);
          const body = Buffer.from(text, "latin1");
          answered.writeHead(answer.statusCode ?? 500, {
            ...answer.headers,
            "content-length": body.length,
          });
          answered.end(body);
        });
      });
      passed.on("error", () => asked.socket.destroy());
      asked.pipe(passed);
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    return new DeviceLink(http, rtsp);
  }

  get address(): string {
    return `127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** Takes the cable out, or puts it back. */
  cut(isOut: boolean): void {
    this.#rtsp.isOut = isOut;
    if (!isOut) return;
    this.#rtsp.cut();
    this.#http.closeAllConnections();
  }

  /** Bytes of a replay that pass on one connection; what follows stays at the device. */
  set replayBytesMax(bytes: number) {
    this.#rtsp.replayBytesMax = bytes;
  }

  async stop(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
    await this.#rtsp.stop();
  }
}
