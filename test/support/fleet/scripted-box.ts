import { randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type ServerHttp2Session } from "node:http2";
import { connect, type TLSSocket } from "node:tls";
import { type Guid, SystemClock } from "../../../src/base/index.js";
import { readCode } from "../../../src/fleet/join/code.js";
import { joinHub } from "../../../src/fleet/join/enrolment-client.js";

/** A box that says what it is told to, and keeps what the hub asks: one connection, for commands. */
export class ScriptedBox {
  readonly id: Guid = randomUUID();
  /** Requests of the hub in order, as HTTP/2 brings them. */
  readonly asked: IncomingHttpHeaders[] = [];
  readonly #about: string;
  #socket: TLSSocket | undefined;
  #session: ServerHttp2Session | undefined;

  /** `about`: the answer to what the hub asks first, as text. */
  constructor(about: string) {
    this.#about = about;
  }

  async join(code: string): Promise<void> {
    const read = readCode("hub", code);
    if (read === undefined) throw new Error(`no code: ${code}`);
    const { hub, own } = await joinHub(read, { id: this.id, name: "Old", clock: new SystemClock() });
    const socket = connect({
      ...{ host: hub.host, port: hub.port, ca: hub.authority, cert: own.certificate, key: own.key },
      ...{ servername: "hub.nvrd.internal", minVersion: "TLSv1.3", ALPNProtocols: ["h2"] },
    });
    socket.on("error", () => socket.destroy());
    await new Promise((resolve) => socket.once("secureConnect", resolve));
    const server = createServer({ settings: { enableConnectProtocol: true } });
    server.on("session", (session) => {
      this.#session = session;
      session.on("error", () => session.destroy());
    });
    server.on("stream", (stream, headers) => {
      stream.on("error", () => stream.destroy());
      this.asked.push(headers);
      const isAbout = headers[":path"] === "/fleet/about";
      stream.respond({ ":status": isAbout ? 200 : headers[":path"] === "/hello" ? 200 : 401 });
      stream.end(isAbout ? this.#about : "hello");
    });
    server.emit("connection", socket);
    this.#socket = socket;
  }

  stop(): void {
    this.#session?.destroy();
    this.#socket?.destroy();
  }
}
