import {
  type AddressInfo,
  connect,
  createServer as createPlainServer,
  type Server,
  type Socket,
} from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

/** One of the two requests of a tunnel, as the camera read it. */
export interface TunnelRequestSeen {
  readonly method: string;
  readonly target: string;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
}

/** What a camera does otherwise than most. */
export interface TunnelHabits {
  /** A whole answer instead of the usual one; undefined: the usual one. */
  readonly answer?: (request: TunnelRequestSeen, count: number) => string | undefined;
  /** The answer to GET comes in chunks of at most so many bytes, as behind a proxy. */
  readonly chunkBytes?: number;
  /** Lines of the answer to GET; default: the type and nothing of its length. */
  readonly getHeaders?: readonly string[];
  /** Nothing is answered. */
  readonly silent?: boolean;
  /** Written before the answer to GET. */
  readonly interim?: string;
  /** The answer to POST; default: none. */
  readonly postAnswer?: string;
  /** Closes each POST behind this many requests of RTSP: in order, or by a reset. */
  readonly closesPostAfter?: { readonly requests: number; readonly by: "end" | "reset" };
  /** HTTPS with this certificate. */
  readonly tls?: Pick<TlsOptions, "key" | "cert" | "ciphers" | "minVersion" | "maxVersion">;
}

const POST_BODY = /\r\n\r\n/;

/**
 * HTTP in front of an RTSP server of loopback: joins a GET and the POSTs with the same cookie to one connection to it, as cameras that
 * offer tunnels do.
 */
export class TunnelFront {
  readonly requests: TunnelRequestSeen[] = [];
  readonly #server: Server;
  readonly #rtspPort: number;
  readonly #habits: TunnelHabits;
  readonly #sockets = new Set<Socket>();
  readonly #tunnels = new Map<string, Socket>();

  private constructor(rtspPort: number, habits: TunnelHabits) {
    this.#rtspPort = rtspPort;
    this.#habits = habits;
    const serve = (socket: Socket): void => this.#serve(socket);
    this.#server = habits.tls === undefined ? createPlainServer(serve) : createTlsServer(habits.tls, serve);
  }

  static async start(rtspPort: number, habits: TunnelHabits = {}): Promise<TunnelFront> {
    const front = new TunnelFront(rtspPort, habits);
    await new Promise<void>((resolve) => front.#server.listen(0, "127.0.0.1", resolve));
    return front;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `rtsp+http${this.#habits.tls === undefined ? "" : "s"}://127.0.0.1:${this.port}/live`;
  }

  count(method: string): number {
    return this.requests.filter((request) => request.method === method).length;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  }

  #serve(socket: Socket): void {
    this.#track(socket);
    let text = "";
    const onHead = (chunk: Buffer): void => {
      text += chunk.toString("latin1");
      const end = POST_BODY.exec(text)?.index;
      if (end === undefined) return;
      socket.off("data", onHead);
      this.#begin(socket, text.slice(0, end), text.slice(end + 4));
    };
    socket.on("data", onHead);
  }

  #begin(socket: Socket, head: string, body: string): void {
    const [startLine = "", ...lines] = head.split("\r\n");
    const [method = "", target = ""] = startLine.split(" ");
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(":");
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    const request = { method, target, headers };
    this.requests.push(request);
    const answer = this.#habits.answer?.(request, this.count(method));
    if (this.#habits.silent === true) return;
    if (answer !== undefined) socket.end(answer, "latin1");
    else if (method === "GET") this.#get(socket, request);
    else this.#post(socket, request, body);
  }

  #get(socket: Socket, { headers }: TunnelRequestSeen): void {
    const {
      interim = "",
      chunkBytes,
      getHeaders = ["Content-Type: application/x-rtsp-tunnelled"],
    } = this.#habits;
    const rtsp = connect(this.#rtspPort, "127.0.0.1");
    this.#track(rtsp);
    this.#tunnels.set(headers.get("x-sessioncookie") ?? "", rtsp);
    const lines = chunkBytes === undefined ? getHeaders : [...getHeaders, "Transfer-Encoding: chunked"];
    socket.write(`${interim}HTTP/1.1 200 OK\r\n${lines.join("\r\n")}\r\n\r\n`);
    rtsp.on("data", (chunk: Buffer) => {
      if (chunkBytes === undefined) socket.write(chunk);
      else
        for (let at = 0; at < chunk.length; at += chunkBytes)
          socket.write(asChunk(chunk.subarray(at, at + chunkBytes)));
    });
    rtsp.on("close", () => socket.destroy());
    socket.on("close", () => rtsp.destroy());
  }

  #post(socket: Socket, { headers }: TunnelRequestSeen, first: string): void {
    const rtsp = this.#tunnels.get(headers.get("x-sessioncookie") ?? "");
    const { postAnswer, closesPostAfter } = this.#habits;
    if (postAnswer !== undefined) socket.write(postAnswer);
    let waiting = "";
    let requests = 0;
    const take = (text: string): void => {
      waiting += text;
      const whole = waiting.length - (waiting.length % 4);
      for (const part of waiting.slice(0, whole).match(/[^=]+={0,2}/g) ?? []) {
        const bytes = Buffer.from(part, "base64");
        if (/^[A-Z]/.test(bytes.toString("latin1", 0, 1))) requests += 1;
        rtsp?.write(bytes);
      }
      waiting = waiting.slice(whole);
      if (closesPostAfter === undefined || requests < closesPostAfter.requests) return;
      if (closesPostAfter.by === "end") socket.end();
      else socket.resetAndDestroy();
    };
    take(first);
    socket.on("data", (chunk: Buffer) => take(chunk.toString("latin1")));
  }
}

function asChunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}
