import { createHash } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { cameraAnswers, ScriptedRtspServer } from "../../support/rtsp/scripted-rtsp-server.js";
import { makeSource } from "../../support/rtsp/source-harness.js";

interface Head {
  readonly method: string;
  readonly target: string;
  readonly names: readonly string[];
  readonly headers: ReadonlyMap<string, string>;
}

/** What the camera does on one connection of the tunnel, its head being read. */
interface OddTunnel {
  /** Bytes of the answer to GET; null: a refusal that is written whole, and the connection ends. */
  readonly get?: (head: Head, count: number) => { readonly head: string; readonly isRefused?: boolean };
  /** What is answered to POST at once. */
  readonly post?: (head: Head, count: number) => { readonly head: string; readonly isRefused?: boolean };
  /** How what the RTSP server says goes out. */
  readonly out?: (bytes: Buffer, socket: Socket) => void | Promise<void>;
  /** How the text of a POST is read: as its parts of whole messages, or at once. */
  readonly decode?: "at-padding" | "in-fours" | "a-message-a-post";
}

const OK = "HTTP/1.0 200 OK\r\nContent-Type: application/x-rtsp-tunnelled\r\n\r\n";
const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

/** HTTP before an RTSP server, odd in its own way, which knows nothing of `TunnelFront`. */
class OddFront {
  readonly heads: Head[] = [];
  readonly #server: Server;
  readonly #habits: OddTunnel;
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  #rtsp: Socket | undefined;

  constructor(port: number, habits: OddTunnel) {
    this.#port = port;
    this.#habits = habits;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  async start(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  get url(): string {
    return `rtsp+http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/live`;
  }

  count(method: string): number {
    return this.heads.filter((head) => head.method === method).length;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    let text = "";
    let head: Head | undefined;
    socket.on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1");
      if (head === undefined) {
        const end = text.indexOf("\r\n\r\n");
        if (end < 0) return;
        head = headIn(text.slice(0, end));
        text = text.slice(end + 4);
        this.heads.push(head);
        if (head.method === "GET") this.#get(socket, head);
        else if (this.#post(socket, head)) return;
      }
      if (head.method === "POST") text = this.#take(text, socket);
    });
  }

  #get(socket: Socket, head: Head): void {
    const answer = this.#habits.get?.(head, this.count("GET")) ?? { head: OK };
    socket.write(answer.head, "latin1");
    if (answer.isRefused === true) {
      socket.end();
      return;
    }
    const rtsp = connect(this.#port, "127.0.0.1");
    this.#rtsp = rtsp;
    this.#sockets.add(rtsp);
    rtsp.on("error", () => rtsp.destroy());
    rtsp.on("data", (bytes: Buffer) => {
      const out = this.#habits.out;
      if (out === undefined) socket.write(bytes);
      else void out(bytes, socket);
    });
    socket.on("close", () => rtsp.destroy());
  }

  /** True when it is refused. */
  #post(socket: Socket, head: Head): boolean {
    const answer = this.#habits.post?.(head, this.count("POST"));
    if (answer !== undefined) socket.write(answer.head, "latin1");
    if (answer?.isRefused === true) socket.end();
    return answer?.isRefused === true;
  }

  #take(text: string, socket: Socket): string {
    const { decode = "in-fours" } = this.#habits;
    const plain = text.replace(/[\r\n]/g, "");
    if (decode === "in-fours") {
      const whole = plain.length - (plain.length % 4);
      for (const part of plain.slice(0, whole).match(/[^=]+={0,2}/g) ?? [])
        this.#rtsp?.write(Buffer.from(part, "base64"));
      return plain.slice(whole);
    }
    // A message ends with its empty line; nothing is read before it is whole.
    const bytes = Buffer.concat(
      (plain.match(/[^=]+={0,2}/g) ?? []).map((part) => Buffer.from(part, "base64")),
    );
    if (!bytes.includes("\r\n\r\n") && bytes[0] !== 0x24) return plain;
    this.#rtsp?.write(bytes);
    if (decode === "a-message-a-post")
      socket.end("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    return "";
  }
}

function headIn(text: string): Head {
  const [start = "", ...lines] = text.split("\r\n");
  const [method = "", target = ""] = start.split(" ");
  const pairs = lines.map(
    (line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()] as const,
  );
  return {
    ...{ method, target, names: pairs.map(([name]) => name) },
    headers: new Map(pairs.map(([name, value]) => [name.toLowerCase(), value])),
  };
}

const login = { user: "viewer", password: "secret" };
const md5 = (text: string): string => createHash("md5").update(text).digest("hex");
function isRight({ method, target, headers }: Head, nonces: Set<string>): boolean {
  const given = headers.get("authorization") ?? "";
  const field = (name: string): string => new RegExp(`[ ,]${name}="?([^",]*)`).exec(given)?.[1] ?? "";
  const nonce = field("nonce");
  const expected = md5(`${md5(`viewer:cam:secret`)}:${nonce}:${md5(`${method}:${target}`)}`);
  return nonces.delete(nonce) && field("response") === expected;
}

/** Each request is asked for a login, by a nonce that is good once. */
function onceEach(): OddTunnel {
  const nonces = new Set<string>();
  const guard = (head: Head): { readonly head: string; readonly isRefused: boolean } | undefined => {
    if (isRight(head, nonces)) return undefined;
    const nonce = md5(`${Math.random()}`);
    nonces.add(nonce);
    const challenge = `WWW-Authenticate: Digest realm="cam", nonce="${nonce}"`;
    return {
      head: `HTTP/1.1 401 Unauthorized\r\n${challenge}\r\nConnection: close\r\n\r\n`,
      isRefused: true,
    };
  };
  return { get: (head) => guard(head) ?? { head: OK }, post: (head) => guard(head) ?? { head: "" } };
}

const TUNNELS: readonly (readonly [string, OddTunnel])[] = [
  ["answers GET without a content type", { get: () => ({ head: "HTTP/1.1 200 OK\r\n\r\n" }) }],
  [
    "answers GET with a type of pictures",
    {
      get: () => ({ head: "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=x\r\n\r\n" }),
    },
  ],
  ["answers GET by LF alone", { get: () => ({ head: "HTTP/1.1 200 OK\nServer: cam\n\n" }) }],
  ["answers GET by RTSP/1.0 200", { get: () => ({ head: "RTSP/1.0 200 OK\r\nServer: cam\r\n\r\n" }) }],
  ["answers GET with 206", { get: () => ({ head: "HTTP/1.1 206 Partial Content\r\n\r\n" }) }],
  [
    "says Connection: close at GET, and stays",
    { get: () => ({ head: "HTTP/1.0 200 OK\r\nConnection: close\r\nCache-Control: no-store\r\n\r\n" }) },
  ],
  [
    "announces a length of 32767 at GET",
    { get: () => ({ head: "HTTP/1.0 200 OK\r\nContent-Length: 32767\r\n\r\n" }) },
  ],
  ["sends line breaks behind the head of GET", { get: () => ({ head: `${OK}\r\n\r\n` }) }],
  [
    "sends a byte at a time",
    {
      out: async (bytes, socket) => {
        for (let at = 0; at < bytes.length; at += 11) {
          socket.write(bytes.subarray(at, at + 11));
          if (at % 1100 === 0) await pause(0);
        }
      },
    },
  ],
  ["asks GET and POST for a login, by nonces that are good once", onceEach()],
  [
    "wants the cookie's header as QuickTime writes it",
    {
      get: ({ names }) =>
        names.includes("x-sessioncookie")
          ? { head: OK }
          : { head: "HTTP/1.1 400 Bad Request\r\n\r\n", isRefused: true },
    },
  ],
  ["reads whole messages alone", { decode: "at-padding" }],
  ["takes one message a POST, and closes it", { decode: "a-message-a-post" }],
  [
    "answers POST with 200 and a length of 0 at once",
    { post: () => ({ head: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" }) },
  ],
  ["answers POST with 100 Continue", { post: () => ({ head: "HTTP/1.1 100 Continue\r\n\r\n" }) }],
  [
    "refuses the first POST with 503",
    {
      post: (_, count) =>
        count === 1 ? { head: "HTTP/1.1 503 Busy\r\n\r\n", isRefused: true } : { head: "" },
    },
  ],
];

describe("a camera is received through a tunnel that", () => {
  it.each(TUNNELS)("%s", async (_, habits) => {
    const camera = await new ScriptedRtspServer(cameraAnswers()).start();
    const front = await new OddFront(camera.port, habits).start();
    const harness = makeSource({ url: front.url, credentials: login });
    open.push(camera, front, harness.source);
    harness.source.start();
    await harness.until(() => harness.frames.length >= 3);
    expect(harness.source.attempts).toBeLessThanOrEqual(2);
  });
});
