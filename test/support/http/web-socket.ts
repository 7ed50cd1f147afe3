import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";

export interface WebSocketOptions {
  readonly port: number;
  /** Path and query. */
  readonly path: string;
  readonly protocol?: string;
  /** The header of this name; `Upgrade` by default. */
  readonly connection?: string | undefined;
  readonly headers?: readonly string[];
  readonly tls?: ConnectionOptions;
  /** A Unix socket that leads there, in place of the port. */
  readonly by?: string;
}

const Opcode = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A WebSocket client of which a test sees each frame, and which can misbehave: Node 20 has none. */
export class WebSocketClient {
  readonly socket: Socket;
  /** The answer to the upgrade: status line and headers; the body of a refusal too. */
  head = "";
  readonly texts: string[] = [];
  readonly binaries: Buffer[] = [];
  /** In order of arrival. */
  readonly messages: (string | Buffer)[] = [];
  pings = 0;
  /** The code of the server's close frame; 1006 without one. */
  closeCode: number | undefined;
  closeReason = "";
  /** Called with each binary message as it comes; they are kept where it is absent. */
  onBinary: ((message: Buffer) => void) | undefined;
  /** Whether pings are answered. */
  answersPings = true;
  #isOpen = false;
  /** Frames for the time when it is open. */
  readonly #early: Buffer[] = [];
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(options: WebSocketOptions) {
    const { port, path, protocol, connection = "Upgrade", headers = [], tls, by } = options;
    this.socket =
      tls === undefined
        ? connect(by === undefined ? { port, host: "127.0.0.1" } : { path: by })
        : connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false, ...tls });
    const lines = [
      `GET ${path} HTTP/1.1`,
      "Host: nvr",
      `Connection: ${connection}`,
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
      ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
      ...headers,
    ];
    this.socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    this.socket.on("data", (chunk) => this.#receive(chunk));
    this.socket.on("close", () => this.#end(1006));
    // A reset is one way for the server to close.
    this.socket.on("error", () => this.#end(1006));
  }

  get isOpen(): boolean {
    return this.#isOpen && this.closeCode === undefined;
  }

  /** Whether the head of the answer has come, all of it; or there is none. */
  get isAnswered(): boolean {
    return this.#isOpen || this.head.includes("\r\n\r\n") || this.closeCode !== undefined;
  }

  get status(): number {
    return Number(/^HTTP\/1.1 (\d+)/.exec(this.head)?.[1] ?? 0);
  }

  get isClosed(): boolean {
    return this.closeCode !== undefined;
  }

  /** Sends an object as JSON, or a text as it is. */
  send(message: object | string): void {
    const text = typeof message === "string" ? message : JSON.stringify(message);
    this.sendFrame(0x80 | Opcode.text, Buffer.from(text));
  }

  sendBinary(bytes: Uint8Array): void {
    this.sendFrame(0x80 | Opcode.binary, bytes);
  }

  /** One frame; `first`: FIN and opcode. */
  sendFrame(first: number, payload: Uint8Array): void {
    const mask = randomBytes(4);
    const masked = Buffer.from(payload);
    for (let at = 0; at < masked.length; at += 1) masked[at] = (masked[at] ?? 0) ^ (mask[at % 4] ?? 0);
    const frame = Buffer.concat([headOf(first, masked.length), mask, masked]);
    if (this.#isOpen) this.socket.write(frame);
    else this.#early.push(frame);
  }

  close(): void {
    this.socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (!this.#isOpen && !this.#readHead()) return;
    for (;;) {
      const needed = this.#frameBytes();
      if (needed === undefined || this.#bytes < needed) return;
      const bytes = this.#joined();
      this.#chunks = [bytes.subarray(needed)];
      this.#bytes -= needed;
      this.#takeFrame(bytes.subarray(0, needed));
    }
  }

  #joined(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  #readHead(): boolean {
    const bytes = this.#joined();
    const end = bytes.indexOf("\r\n\r\n");
    this.head = bytes.toString("latin1", 0, end < 0 ? undefined : end + 4);
    if (end < 0) return false;
    if (this.status !== 101) {
      this.head = bytes.toString("utf8");
      return false;
    }
    this.#isOpen = true;
    for (const frame of this.#early) this.socket.write(frame);
    this.#chunks = [bytes.subarray(end + 4)];
    this.#bytes -= end + 4;
    return true;
  }

  /** Length of the frame that comes, with its head; undefined while that has not come. */
  #frameBytes(): number | undefined {
    if (this.#bytes < 2) return undefined;
    const [first] = this.#chunks;
    const bytes = first !== undefined && first.length >= 10 ? first : this.#joined();
    const short = bytes.readUInt8(1) & 0x7f;
    if (short < 126) return 2 + short;
    if (this.#bytes < 10) return undefined;
    return short === 126 ? 4 + bytes.readUInt16BE(2) : 10 + Number(bytes.readBigUInt64BE(2));
  }

  #takeFrame(frame: Buffer): void {
    const short = frame.readUInt8(1) & 0x7f;
    const payload = frame.subarray(short < 126 ? 2 : short === 126 ? 4 : 10);
    switch (frame.readUInt8(0) & 0x0f) {
      case Opcode.text:
        this.texts.push(payload.toString("utf8"));
        this.messages.push(payload.toString("utf8"));
        return;
      case Opcode.binary: {
        if (this.onBinary !== undefined) {
          this.onBinary(payload);
          return;
        }
        const copy = Buffer.from(payload);
        this.binaries.push(copy);
        this.messages.push(copy);
        return;
      }
      case Opcode.close:
        this.closeReason = payload.toString("utf8", 2);
        this.#end(payload.length >= 2 ? payload.readUInt16BE(0) : 1005);
        return;
      case Opcode.ping:
        this.pings += 1;
        if (this.answersPings) this.sendFrame(0x80 | Opcode.pong, payload);
        return;
      default:
        return;
    }
  }

  #end(code: number): void {
    this.closeCode ??= code;
    this.socket.destroy();
  }
}

function headOf(first: number, bytes: number): Buffer {
  if (bytes < 126) return Buffer.from([first, 0x80 | bytes]);
  const head = Buffer.alloc(bytes < 0x1_0000 ? 4 : 10);
  head.writeUInt8(first, 0);
  head.writeUInt8(0x80 | (bytes < 0x1_0000 ? 126 : 127), 1);
  if (bytes < 0x1_0000) head.writeUInt16BE(bytes, 2);
  else head.writeBigUInt64BE(BigInt(bytes), 2);
  return head;
}
