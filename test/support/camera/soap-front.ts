import { once } from "node:events";
import { request } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { OnvifCamera, type OnvifCameraOptions } from "./onvif-camera.js";

/** A request as it came, its body whole. */
export interface FrontRequest {
  readonly head: string;
  readonly path: string;
  readonly operation: string;
  readonly body: string;
}

/** What the camera behind the front answers. */
export interface FrontAnswer {
  readonly status: number;
  readonly type: string;
  readonly challenges: readonly string[];
  readonly body: Buffer;
}

/** How an answer is written on the connection; what it does not write is not sent. */
export type Manner = (answer: FrontAnswer, socket: Socket, asked: FrontRequest) => void | Promise<void>;

/** Refuses a request, or lets it through to the camera: undefined. */
export type Guard = (asked: FrontRequest) => FrontAnswer | undefined;

const HOST = "127.0.0.1";

/** A scripted camera behind a server that writes its bytes as no server of Node would. */
export class SoapFront {
  readonly camera: OnvifCamera;
  readonly asked: FrontRequest[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #manner: Manner;
  readonly #guard: Guard | undefined;

  static async start(options: {
    readonly manner?: Manner;
    readonly guard?: Guard;
    readonly camera?: OnvifCameraOptions;
  }): Promise<SoapFront> {
    const server = createServer();
    server.listen(0, HOST);
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const camera = await OnvifCamera.start({
      ...(options.guard === undefined ? {} : { auth: "none" as const }),
      advertised: { host: HOST, port },
      ...options.camera,
    });
    return new SoapFront(camera, server, options.manner ?? plainly, options.guard);
  }

  private constructor(camera: OnvifCamera, server: Server, manner: Manner, guard: Guard | undefined) {
    this.camera = camera;
    this.#server = server;
    this.#manner = manner;
    this.#guard = guard;
    server.on("connection", (socket) => this.#serve(socket));
  }

  get address(): string {
    return `${HOST}:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await this.camera.stop();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    let bytes = Buffer.alloc(0);
    let work = Promise.resolve();
    socket.on("data", (more) => {
      bytes = Buffer.concat([bytes, more]);
      for (let asked = firstRequest(bytes); asked !== undefined; asked = firstRequest(bytes)) {
        bytes = bytes.subarray(asked.bytes);
        const { request: one } = asked;
        this.asked.push(one);
        work = work.then(() => this.#answer(one, socket)).catch(() => void socket.destroy());
      }
    });
  }

  async #answer(asked: FrontRequest, socket: Socket): Promise<void> {
    const answer = this.#guard?.(asked) ?? (await this.#ask(asked));
    if (!socket.destroyed) await this.#manner(answer, socket, asked);
  }

  #ask(asked: FrontRequest): Promise<FrontAnswer> {
    const method = asked.head.slice(0, asked.head.indexOf(" "));
    const authorization = headerOf(asked.head, "authorization");
    const headers = authorization === "" ? {} : { authorization };
    return new Promise((resolve, reject) => {
      const sent = request(
        { host: HOST, port: this.camera.port, method, path: asked.path, headers, agent: false },
        async (response) => {
          const chunks: Buffer[] = [];
          for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers["content-type"] ?? "",
            challenges: response.headersDistinct["www-authenticate"] ?? [],
            body: Buffer.concat(chunks),
          });
        },
      );
      sent.on("error", reject);
      sent.end(asked.body);
    });
  }
}

export function headerOf(head: string, name: string): string {
  return new RegExp(`^${name}:\\s*(.*)$`, "im").exec(head)?.[1]?.trim() ?? "";
}

function firstRequest(bytes: Buffer): { request: FrontRequest; bytes: number } | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = bytes.toString("latin1", 0, end);
  const length = Number(headerOf(head, "content-length") || "0");
  if (bytes.length < end + 4 + length) return undefined;
  const body = bytes.toString("utf8", end + 4, end + 4 + length);
  const operation = /Body>\s*<(?:[\w-]+:)?(\w+)/.exec(body)?.[1] ?? "";
  const path = head.split(" ")[1] ?? "/";
  return { request: { head, path, operation, body }, bytes: end + 4 + length };
}

const REASONS: Readonly<Record<number, string>> = { 200: "OK", 400: "Bad Request", 401: "Unauthorized" };

/** Status line and headers; `lines` behind those that every answer has. */
export function headOf(
  { status, type, challenges }: FrontAnswer,
  lines: readonly string[],
  version = "HTTP/1.1",
): Buffer {
  const own = challenges.map((challenge) => `WWW-Authenticate: ${challenge}`);
  const all = [
    `${version} ${status} ${REASONS[status] ?? "Error"}`,
    `Content-Type: ${type}`,
    ...own,
    ...lines,
  ];
  return Buffer.from(`${all.join("\r\n")}\r\n\r\n`, "latin1");
}

/** As any server does. */
export function plainly(answer: FrontAnswer, socket: Socket): void {
  socket.write(
    Buffer.concat([
      headOf(answer, [`Content-Length: ${answer.body.length}`, "Connection: keep-alive"]),
      answer.body,
    ]),
  );
}
