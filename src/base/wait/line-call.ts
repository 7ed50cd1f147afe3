import { connect } from "node:net";
import type { Readable } from "node:stream";
import type { Clock } from "../time/clock.js";
import { ERRORS, type ErrorCode, errorText, NvrdError } from "../value/errors.js";

/* One line of JSON each way over a unix socket: how the service asks its small helpers with root rights. */

/** The other side must send its line within this time. */
const LINE_MS_MAX = 10_000;

export interface LineCallOptions {
  readonly socketPath: string;
  /** Without the end of line. */
  readonly line: string;
  readonly clock: Clock;
  readonly answerMsMax: number;
  readonly bytesMax: number;
  /** Who is asked, for error messages: `disk keeper`. */
  readonly name: string;
  /** What to do when nobody answers. */
  readonly hint: string;
}

/** Sends a line and resolves with the line that is answered. Rejects with NvrdError NOT_AVAILABLE. */
export function callLine(options: LineCallOptions): Promise<string> {
  const { socketPath, clock, answerMsMax, bytesMax } = options;
  return new Promise<string>((resolve, reject) => {
    const socket = connect(socketPath);
    let text = "";
    let problem: unknown = nobody(options, "it closed the connection: it may be busy");
    const timer = clock.setTimeout(() => {
      problem = nobody(options, `no answer came within ${Math.round(answerMsMax / 1000)} s`);
      socket.destroy();
    }, answerMsMax);
    socket.setEncoding("utf8");
    socket.once("connect", () => socket.write(`${options.line}\n`));
    socket.on("data", (chunk: string) => {
      text += chunk;
      if (text.length > bytesMax) socket.destroy();
      else if (text.includes("\n")) socket.end();
    });
    socket.once("error", (error) => {
      problem = nobody(options, errorText(error));
    });
    socket.once("close", () => {
      timer.clear();
      if (text.includes("\n")) resolve(text);
      else reject(problem);
    });
  });
}

function nobody({ name, socketPath, hint }: LineCallOptions, reason: string): NvrdError {
  return new NvrdError("NOT_AVAILABLE", `the ${name} does not answer at ${socketPath}: ${reason}`, { hint });
}

/** Reads the first line of a stream. Rejects with NvrdError BAD_REQUEST or TOO_LARGE. */
export function readLine(input: Readable, clock: Clock, bytesMax: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const timer = clock.setTimeout(
      () => finish(new NvrdError("BAD_REQUEST", "no order was received")),
      LINE_MS_MAX,
    );
    const finish = (outcome: string | NvrdError): void => {
      timer.clear();
      input.removeAllListeners("data").removeAllListeners("end");
      input.pause();
      if (typeof outcome === "string") resolve(outcome);
      else reject(outcome);
    };
    input.on("data", (chunk: Buffer) => {
      const end = chunk.indexOf("\n");
      const piece = end === -1 ? chunk : chunk.subarray(0, end);
      bytes += piece.length;
      if (bytes > bytesMax)
        return finish(new NvrdError("TOO_LARGE", `the order is longer than ${bytesMax} bytes`));
      pieces.push(piece);
      if (end !== -1) finish(Buffer.concat(pieces).toString("utf8"));
    });
    input.once("end", () => finish(new NvrdError("BAD_REQUEST", "the order is not a complete line")));
    input.once("error", (error) => finish(new NvrdError("BAD_REQUEST", errorText(error))));
  });
}

/** The line that answers with an error. */
export function errorLine({ code, message, hint }: NvrdError): string {
  return `${JSON.stringify({ error: { code, message, hint } })}\n`;
}

/** The error that the other side answered with; INTERNAL for a code that is not of the catalogue. */
export function errorOfLine({
  code,
  message,
  hint,
}: {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}): NvrdError {
  const isKnown = Object.hasOwn(ERRORS, code);
  return new NvrdError(isKnown ? (code as ErrorCode) : "INTERNAL", message, { hint });
}

/** The JSON value of a line; undefined if it is none. */
export function jsonOfLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // The schema of the line refuses it, as it does a value of the wrong shape.
    return undefined;
  }
}
