import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** All values of WWW-Authenticate, which may come more than once. */
  readonly challenges: readonly string[];
  readonly body: string;
}

/** A client that sends what it is given, byte for byte, and sorts answers from interleaved packets. */
export class RawRtspClient {
  readonly socket: Socket;
  readonly responses: RawResponse[] = [];
  readonly packets: { channel: number; packet: Buffer }[] = [];
  closed = false;
  #bytes = Buffer.alloc(0);
  #cseq = 0;
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (bytes: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, bytes]);
      while (this.#takeOne()) this.#wake();
    });
    socket.on("close", () => {
      this.closed = true;
      this.#wake();
    });
    // A reset by the server shows as `close`.
    socket.on("error", () => this.#wake());
  }

  static async connect(port: number): Promise<RawRtspClient> {
    const socket = connect({ host: "127.0.0.1", port });
    await once(socket, "connect");
    return new RawRtspClient(socket);
  }

  /** Sends a request and waits for its response. */
  async request(
    method: string,
    uri: string,
    headers: Record<string, string> = {},
    body = "",
  ): Promise<RawResponse> {
    this.#cseq += 1;
    const lines = [`${method} ${uri} RTSP/1.0`, `CSeq: ${this.#cseq}`];
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
    if (body !== "") lines.push(`Content-Length: ${body.length}`);
    return this.exchange(`${lines.join("\r\n")}\r\n\r\n${body}`);
  }

  /** Sends text as it is and waits for the next response. */
  async exchange(text: string | Buffer): Promise<RawResponse> {
    const before = this.responses.length;
    this.socket.write(text);
    await this.until(() => this.responses.length > before);
    const response = this.responses[before];
    if (response === undefined) throw new Error("the server closed the connection without an answer");
    return response;
  }

  /** Waits until `holds`, or the connection is closed. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds() && !this.closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.socket.destroy();
  }

  #takeOne(): boolean {
    if (this.#bytes.length < 4) return false;
    if (this.#bytes[0] === 0x24) {
      const end = 4 + this.#bytes.readUInt16BE(2);
      if (this.#bytes.length < end) return false;
      this.packets.push({ channel: this.#bytes[1] ?? 0, packet: this.#bytes.subarray(4, end) });
      this.#bytes = this.#bytes.subarray(end);
      return true;
    }
    const headEnd = this.#bytes.indexOf("\r\n\r\n");
    if (headEnd === -1) return false;
    const [statusLine = "", ...lines] = this.#bytes.toString("latin1", 0, headEnd).split("\r\n");
    const pairs = lines.map(
      (line) => [line.split(":", 1)[0]?.toLowerCase() ?? "", line.replace(/^[^:]*:\s*/, "")] as const,
    );
    const headers = new Map(pairs);
    const end = headEnd + 4 + Number(headers.get("content-length") ?? 0);
    if (this.#bytes.length < end) return false;
    this.responses.push({
      status: Number(statusLine.split(" ")[1]),
      headers,
      challenges: pairs.filter(([name]) => name === "www-authenticate").map(([, value]) => value),
      body: this.#bytes.toString("utf8", headEnd + 4, end),
    });
    this.#bytes = this.#bytes.subarray(end);
    return true;
  }
}
