import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

/** A request as the server read it. */
export interface ScriptedRequest {
  readonly method: string;
  readonly uri: string;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** 0 for the first connection the server took. */
  readonly connection: number;
}

/** Canned bytes; `$CSEQ` stands for the request's. Undefined: no answer. */
export type ScriptedReply = string | Buffer | undefined;
export type ScriptedAnswer = (request: ScriptedRequest, socket: Socket) => ScriptedReply;

/** SPS and PPS of a 320x240 baseline stream, as sprop-parameter-sets. */
export const SPROP = "Z0LADdkBQfsBEAAAAwAQAAADAyDxQqSA,aMuDyyA=";

export const VIDEO_SDP = [
  "v=0",
  "o=- 1 1 IN IP4 127.0.0.1",
  "s=camera",
  "t=0 0",
  "m=video 0 RTP/AVP 96",
  "a=rtpmap:96 H264/90000",
  `a=fmtp:96 packetization-mode=1;sprop-parameter-sets=${SPROP}`,
  "a=control:trackID=1",
];

export function describeReply(sdp: readonly string[], headers: readonly string[] = []): string {
  const body = `${sdp.join("\r\n")}\r\n`;
  return reply(200, ["Content-Type: application/sdp", `Content-Length: ${body.length}`, ...headers]) + body;
}

export function reply(status: number, headers: readonly string[] = []): string {
  return [`RTSP/1.0 ${status} ${status === 200 ? "OK" : "Reason"}`, "CSeq: $CSEQ", ...headers, "", ""].join(
    "\r\n",
  );
}

export function rtpPacket(fields: {
  readonly sequence: number;
  readonly timestamp: number;
  readonly payload: Buffer;
  readonly marker?: boolean;
  readonly ssrc?: number;
}): Buffer {
  const header = Buffer.alloc(12);
  header[0] = 0x80;
  header[1] = 96 | (fields.marker === false ? 0 : 0x80);
  header.writeUInt16BE(fields.sequence & 0xffff, 2);
  header.writeUInt32BE(fields.timestamp >>> 0, 4);
  header.writeUInt32BE(fields.ssrc ?? 0x11223344, 8);
  return Buffer.concat([header, fields.payload]);
}

export function interleaved(channel: number, packet: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x24, channel, packet.length >> 8, packet.length & 0xff]), packet]);
}

/** The payload of key frame `index`: one IDR slice whose content tells which it is. */
export function keyFramePayload(index: number): Buffer {
  return Buffer.concat([
    Buffer.from([0x65, 0x88, 0x84, 0x00, 0x33]),
    Buffer.from(`frame ${index}`),
    Buffer.from([0x80]),
  ]);
}

/** Interleaved key frames `from` to `to` on `channel`, 40 ms apart. */
export function keyFrames(from: number, to: number, channel = 0, ssrc?: number, laterTicks = 0): Buffer {
  const packets: Buffer[] = [];
  for (let index = from; index <= to; index += 1) {
    const packet = rtpPacket({
      sequence: index,
      timestamp: index * 3600 + laterTicks,
      payload: keyFramePayload(index),
      ...(ssrc === undefined ? {} : { ssrc }),
    });
    packets.push(interleaved(channel, packet));
  }
  return Buffer.concat(packets);
}

/** A camera that plays key frames 1 to 3 over TCP; a test replaces the answers it is about. */
export function cameraAnswers(
  changes: Readonly<Record<string, ScriptedAnswer>> = {},
): Record<string, ScriptedAnswer> {
  return {
    OPTIONS: () => reply(200, ["Public: OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, TEARDOWN"]),
    DESCRIBE: () => describeReply(VIDEO_SDP),
    SETUP: () => reply(200, ["Session: 4711;timeout=60", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1"]),
    PLAY: () => Buffer.concat([Buffer.from(reply(200, ["Session: 4711"])), keyFrames(1, 3)]),
    GET_PARAMETER: () => reply(200),
    TEARDOWN: () => reply(200),
    ...changes,
  };
}

/** A camera by script: answers each method with canned bytes and remembers what it was asked. */
export class ScriptedRtspServer {
  readonly requests: ScriptedRequest[] = [];
  readonly #answers: Record<string, ScriptedAnswer>;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #connections = 0;

  constructor(answers: Readonly<Record<string, ScriptedAnswer>>) {
    this.#answers = { ...answers };
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** Listens on loopback; `port` 0 for any. */
  async start(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `rtsp://127.0.0.1:${this.port}/live`;
  }

  get connections(): number {
    return this.#connections;
  }

  /** Connections that are open now. */
  get sockets(): readonly Socket[] {
    return [...this.#sockets];
  }

  /** How `method` is answered now. */
  answered(method: string): ScriptedAnswer | undefined {
    return this.#answers[method];
  }

  /** Answers `method` otherwise from now on. */
  answer(method: string, answer: ScriptedAnswer): void {
    this.#answers[method] = answer;
  }

  methods(): string[] {
    return this.requests.map((request) => request.method);
  }

  find(method: string): ScriptedRequest | undefined {
    return this.requests.find((request) => request.method === method);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    const connection = this.#connections;
    this.#connections += 1;
    this.#sockets.add(socket);
    let text = "";
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      for (;;) {
        // Receiver reports come between the requests.
        while (text.startsWith("$") && text.length >= 4) {
          const length = 4 + text.charCodeAt(2) * 256 + text.charCodeAt(3);
          if (text.length < length) return;
          text = text.slice(length);
        }
        const end = text.indexOf("\r\n\r\n");
        if (end < 0) return;
        this.#answer(text.slice(0, end), connection, socket);
        text = text.slice(end + 4);
      }
    });
  }

  #answer(head: string, connection: number, socket: Socket): void {
    const [startLine = "", ...lines] = head.split("\r\n");
    const [method = "", uri = ""] = startLine.split(" ");
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(":");
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    const request = { method, uri, headers, connection };
    this.requests.push(request);
    const answer = this.#answers[method]?.(request, socket);
    if (answer === undefined || socket.destroyed) return;
    const bytes = typeof answer === "string" ? Buffer.from(answer, "latin1") : answer;
    socket.write(Buffer.from(bytes.toString("latin1").replace("$CSEQ", headers.get("cseq") ?? ""), "latin1"));
  }
}
