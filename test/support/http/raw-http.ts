import { connect, type Socket } from "node:net";

/** A client that writes bytes as they are and keeps what comes back. */
export class RawClient {
  readonly socket: Socket;
  #received: Buffer[] = [];
  #length = 0;
  closed = false;

  constructor(port: number, options: { readonly paused?: boolean } = {}) {
    this.socket = connect(port, "127.0.0.1");
    if (options.paused !== true) this.resume();
    this.socket.on("close", () => {
      this.closed = true;
    });
    // A reset is one way for the server to close; the tests look at `closed`.
    this.socket.on("error", () => {
      this.closed = true;
    });
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): Buffer {
    const bytes = Buffer.concat(this.#received);
    this.#received = [bytes];
    return bytes;
  }

  get text(): string {
    return this.bytes.toString("latin1");
  }

  /** As `text.endsWith`, without putting together what came, which may be much and is asked for often. */
  endsWith(text: string): boolean {
    const last: Buffer[] = [];
    for (let at = this.#received.length - 1, bytes = 0; at >= 0 && bytes < text.length; at -= 1) {
      const chunk = this.#received[at] ?? Buffer.alloc(0);
      last.unshift(chunk.subarray(-text.length));
      bytes += chunk.length;
    }
    return Buffer.concat(last).toString("latin1").endsWith(text);
  }

  /** Of a paused client: reads so many bytes, if they are there. */
  take(bytes: number): void {
    const chunk: Buffer | null = this.socket.read(bytes);
    if (chunk === null) return;
    this.#received.push(chunk);
    this.#length += chunk.length;
  }

  /** From now on what comes is read. */
  resume(): void {
    this.socket.on("data", (chunk: Buffer) => {
      this.#received.push(chunk);
      this.#length += chunk.length;
    });
  }

  send(text: string): void {
    this.socket.write(text, "latin1");
  }

  get(path: string, headers: readonly string[] = []): void {
    this.send(
      `GET ${path} HTTP/1.1\r\nHost: nvr\r\n${headers.map((header) => `${header}\r\n`).join("")}\r\n`,
    );
  }

  /** Body of the answer so far, chunk framing removed; a chunk counts when its data has all come. */
  get body(): Buffer {
    const bytes = this.bytes;
    let at = bytes.indexOf("\r\n\r\n") + 4;
    if (at < 4) return Buffer.alloc(0);
    const chunks: Buffer[] = [];
    for (;;) {
      const end = bytes.indexOf("\r\n", at);
      if (end < 0) break;
      const size = Number.parseInt(bytes.toString("latin1", at, end), 16);
      if (!(size > 0) || bytes.length < end + 2 + size) break;
      chunks.push(bytes.subarray(end + 2, end + 2 + size));
      at = end + 2 + size + 2;
    }
    return Buffer.concat(chunks);
  }

  destroy(): void {
    this.socket.destroy();
  }
}

export interface RawPart {
  readonly type: string;
  readonly timestamp: string;
  readonly body: Buffer;
}

/** The whole parts of a multipart body, strictly in the format of the reference. `rest`: bytes after the last. */
export function readParts(body: Buffer): { readonly parts: RawPart[]; readonly rest: string } {
  const parts: RawPart[] = [];
  let at = 0;
  for (;;) {
    const rest = body.toString("latin1", at, at + 400);
    const match =
      /^--myboundary\r\nContent-Type: ([^\r]+)\r\nTimestamp: ([^\r]+)\r\nContent-Length: (\d+)\r\n\r\n/.exec(
        rest,
      );
    if (match === null) return { parts, rest };
    const [head, type = "", timestamp = "", length] = match;
    const start = at + head.length;
    const end = start + Number(length);
    if (body.length < end + 2) return { parts, rest };
    if (body.toString("latin1", end, end + 2) !== "\r\n")
      throw new Error(`no CRLF after part ${parts.length}`);
    parts.push({ type, timestamp, body: body.subarray(start, end) });
    at = end + 2;
  }
}
