import type { IncomingMessage } from "node:http";

/** A part of `/video`. */
export interface VideoPart {
  /** As it stands on the wire: `video, h264, I-frame`, `audio, PCMU`, `image/jpeg`… */
  readonly contentType: string;
  /** `Timestamp` as Unix milliseconds. */
  readonly timestampMs: number;
  readonly body: Buffer;
  /** When the last byte of the part (the CRLF after its body) was read: `performance.now()`. */
  readonly arrivedMs: number;
}

const BOUNDARY_LINE = "--myboundary\r\n";
const HEADER_BYTES_MAX = 1024;
const BODY_BYTES_MAX = 16 * 1024 * 1024;
const HEADER =
  /^Content-Type: ([^\r\n]+)\r\nTimestamp: (\d\d)\.(\d\d)\.(\d{4}) (\d\d):(\d\d):(\d\d\.\d{3})\r\nContent-Length: (\d+)\r\n\r\n$/;

/**
 * Takes a `/video` answer apart, strictly in the format of the reference: any byte that does not belong there is
 * an error. Bytes come in through `push`, parts out of it.
 */
export class MultipartParser {
  #chunks: Buffer[] = [];
  #buffered = 0;
  /** Bytes needed before it is worth looking again. */
  #wanted = BOUNDARY_LINE.length;
  #header: { contentType: string; timestampMs: number; length: number } | undefined;

  /** True between parts: nothing but a boundary line is left over. */
  get atBoundary(): boolean {
    return this.#header === undefined && (this.#buffered === 0 || this.#buffered === BOUNDARY_LINE.length);
  }

  push(chunk: Buffer): VideoPart[] {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    if (this.#buffered < this.#wanted) return [];
    let bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    const parts: VideoPart[] = [];
    for (;;) {
      const taken = this.#header === undefined ? this.#takeHeader(bytes) : this.#takeBody(bytes, parts);
      if (taken === 0) break;
      bytes = bytes.subarray(taken);
    }
    this.#chunks = bytes.length === 0 ? [] : [bytes];
    this.#buffered = bytes.length;
    return parts;
  }

  #takeHeader(bytes: Buffer): number {
    const start = bytes.toString("latin1", 0, BOUNDARY_LINE.length);
    if (!BOUNDARY_LINE.startsWith(start)) throw new Error(`not a boundary line: ${JSON.stringify(start)}`);
    const end = bytes.indexOf("\r\n\r\n", BOUNDARY_LINE.length);
    if (end < 0) {
      if (bytes.length > HEADER_BYTES_MAX)
        throw new Error(`part header of more than ${HEADER_BYTES_MAX} bytes`);
      this.#wanted = bytes.length + 1;
      return 0;
    }
    const text = bytes.toString("latin1", BOUNDARY_LINE.length, end + 4);
    const match = HEADER.exec(text);
    if (match === null) throw new Error(`not a part header: ${JSON.stringify(text)}`);
    const [, contentType = "", day, month, year, hour, minute, second, length] = match;
    const timestampMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    if (Number.isNaN(timestampMs) || Number(length) > BODY_BYTES_MAX)
      throw new Error(`bad part header: ${JSON.stringify(text)}`);
    this.#header = { contentType, timestampMs, length: Number(length) };
    return end + 4;
  }

  #takeBody(bytes: Buffer, parts: VideoPart[]): number {
    const header = this.#header;
    if (header === undefined) return 0;
    const end = header.length + 2;
    this.#wanted = end;
    if (bytes.length < end) return 0;
    if (bytes[header.length] !== 13 || bytes[header.length + 1] !== 10) {
      throw new Error(`no CRLF after a body of ${header.length} bytes (${header.contentType})`);
    }
    const { contentType, timestampMs, length } = header;
    parts.push({ contentType, timestampMs, body: bytes.subarray(0, length), arrivedMs: performance.now() });
    this.#header = undefined;
    this.#wanted = BOUNDARY_LINE.length;
    return end;
  }
}

/** Reads the parts of an open `/video` answer, in order; ends with the answer. */
export async function* videoParts(response: IncomingMessage): AsyncGenerator<VideoPart> {
  const type = response.headers["content-type"];
  if (type !== "multipart/x-mixed-replace; boundary=myboundary")
    throw new Error(`not a /video answer: ${type}`);
  const parser = new MultipartParser();
  for await (const chunk of response as AsyncIterable<Buffer>) yield* parser.push(chunk);
  if (!parser.atBoundary) throw new Error("the answer ended inside a part");
}
