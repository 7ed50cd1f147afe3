import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip, inflate } from "node:zlib";
import { type Clock, setTimeLimit } from "../../base/index.js";
import { CameraFailure } from "../description/camera-failure.js";

/** How long the end of an answer may follow the end of its document, in milliseconds: chunks end with a line of their own. */
const REST_MS = 200;
/** The end tag of a SOAP message in any encoding that holds ASCII as such. */
const ENVELOPE_END = /<\/(?:[\w.-]+:)?Envelope\s*>/;
const ENVELOPE_BEGIN = /<(?:[\w.-]+:)?Envelope[\s>]/;
/** What is looked at for the end tag, in bytes from the end. */
const END_BYTES_MAX = 512;

export interface HttpAnswer {
  readonly status: number;
  /** First value of a header, by lower-case name; empty if absent. */
  header(name: string): string;
  /** Values of WWW-Authenticate, one per header line. */
  readonly challenges: readonly string[];
  readonly body: Buffer;
}

/** How much of a SOAP message has come. "none": what came is no message in ASCII's letters. */
export function messagePart(bytes: Buffer): "none" | "begun" | "whole" {
  const text = bytes.toString("latin1");
  if (ENVELOPE_END.test(text)) return "whole";
  return ENVELOPE_BEGIN.test(text) ? "begun" : "none";
}

/** The message alone, without the heads of a part before it and what lies behind it; the bytes as they are where there is none. */
export function messageIn(bytes: Buffer): Buffer {
  const text = bytes.toString("latin1");
  const end = ENVELOPE_END.exec(text);
  if (end === null) return bytes;
  const isPart = text.startsWith("--") || text.startsWith("\r\n--");
  return bytes.subarray(isPart ? text.indexOf("<") : 0, end.index + end[0].length);
}

export interface BodyReading {
  readonly bytesMax: number;
  /** `host:port` for messages. */
  readonly place: string;
  readonly clock: Clock;
  /** It is a SOAP message: what follows its end is not waited for, however much was announced. */
  readonly isMessage: boolean;
}

/** The body of an answer, decompressed. Rejects with CameraFailure: `interrupted`, `bad-answer` (too long). */
export async function readBody(response: IncomingMessage, reading: BodyReading): Promise<Buffer> {
  const body = await gathered(response, reading);
  const encoding = response.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  const unpack = encoding === "deflate" ? inflate : /^(?:x-)?gzip$/.test(encoding) ? gunzip : undefined;
  if (unpack === undefined || body.length === 0) return body;
  try {
    return await promisify<Buffer, object, Buffer>(unpack)(body, { maxOutputLength: reading.bytesMax });
  } catch (error) {
    const words = `${reading.place} sent an answer that cannot be decompressed, or of more than ${reading.bytesMax} bytes`;
    throw new CameraFailure("bad-answer", words, { cause: error });
  }
}

function gathered(
  response: IncomingMessage,
  { bytesMax, place, clock, isMessage }: BodyReading,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let rest: ReturnType<typeof setTimeLimit> | undefined;
    const whole = (): void => {
      rest?.clear();
      resolve(Buffer.concat(chunks));
    };
    const broken = (cause?: Error): void => {
      const words = `${place} closed the connection in the middle of its answer`;
      if (rest !== undefined) whole();
      else reject(new CameraFailure("interrupted", words, { cause }));
    };
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > bytesMax) {
        rest?.clear();
        reject(tooLong(place, bytesMax));
      } else if (isMessage && rest === undefined && endsMessage(chunks)) {
        rest = setTimeLimit(clock, whole, REST_MS);
      }
    });
    response.on("end", whole);
    response.on("error", broken);
    response.on("close", broken);
  });
}

/** Whether what came last holds the message's end tag. */
function endsMessage(chunks: readonly Buffer[]): boolean {
  let text = "";
  for (let at = chunks.length - 1; at >= 0 && text.length < END_BYTES_MAX; at -= 1) {
    const chunk = chunks[at];
    if (chunk !== undefined)
      text = chunk.toString("latin1", Math.max(0, chunk.length - END_BYTES_MAX)) + text;
  }
  return ENVELOPE_END.test(text);
}

export function tooLong(place: string, bytesMax: number): CameraFailure {
  return new CameraFailure("bad-answer", `${place} sent an answer of more than ${bytesMax} bytes`);
}
