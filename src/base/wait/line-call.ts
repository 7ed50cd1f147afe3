import { connect } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { Log } from "../log/log.js";
import type { Clock } from "../time/clock.js";
import { ERRORS, type ErrorCode, errorText, NvrdError } from "../value/errors.js";

/* One line of JSON each way over a unix socket: how the service asks its small helpers with root rights. */

/** Between two tries at a side that is busy. */
const BUSY_LOOK_MS = 500;
/** What systemd's closing of a connection beyond `MaxConnections=` looks like, besides a plain end. */
const CLOSED_CODES = new Set(["ECONNRESET", "EPIPE"]);

/** The other side must send its line within this time. */
const LINE_MS_MAX = 10_000;

/** The side that is asked. */
export interface OrderConnection {
  readonly input: Readable;
  readonly output: Writable;
  readonly clock: Clock;
  readonly log: Log;
}

interface LineCallOptions {
  readonly socketPath: string;
  /** Without the end of line. */
  readonly line: string;
  readonly clock: Clock;
  readonly answerMsMax: number;
  readonly bytesMax: number;
  /**
   * For so long the line is sent again to a side that closes the connection unanswered, as systemd does while it serves another one
   * (`MaxConnections=`, systemd.socket(5)). Only for orders that may come twice. Default: 0.
   */
  readonly busyMsMax?: number;
  /** Who is asked, for error messages: `disk keeper`. */
  readonly name: string;
  /** What to do when nobody answers. */
  readonly hint: string;
}

/** What came of one connection: the line of the answer, or why there is none. */
type Outcome = { readonly line: string } | { readonly problem: NvrdError; readonly isBusy: boolean };

/** Sends a line and resolves with the line that is answered. Rejects with NvrdError NOT_AVAILABLE. */
export async function callLine(options: LineCallOptions): Promise<string> {
  const { clock, busyMsMax = 0 } = options;
  for (let waitedMs = 0; ; waitedMs += BUSY_LOOK_MS) {
    const outcome = await callOnce(options);
    if ("line" in outcome) return outcome.line;
    if (!outcome.isBusy || waitedMs >= busyMsMax) throw outcome.problem;
    await new Promise<void>((resolve) => void clock.setTimeout(resolve, BUSY_LOOK_MS));
  }
}

function callOnce(options: LineCallOptions): Promise<Outcome> {
  const { socketPath, clock, answerMsMax, bytesMax } = options;
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    let text = "";
    let reason: string | undefined;
    const timer = clock.setTimeout(() => {
      reason = `no answer came within ${Math.round(answerMsMax / 1000)} s`;
      socket.destroy();
    }, answerMsMax);
    socket.setEncoding("utf8");
    socket.once("connect", () => socket.write(`${options.line}\n`));
    socket.on("data", (chunk: string) => {
      text += chunk;
      if (text.length > bytesMax) {
        reason = `its answer is longer than ${bytesMax} bytes`;
        socket.destroy();
      } else if (text.includes("\n")) socket.end();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (!CLOSED_CODES.has(error.code ?? "")) reason ??= errorText(error);
    });
    socket.once("close", () => {
      timer.clear();
      const isBusy = reason === undefined;
      if (reason === undefined && text.includes("\n")) resolve({ line: text });
      else
        resolve({
          problem: nobody(options, reason ?? "it closed the connection: it may be busy"),
          isBusy,
        });
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

/** Carries out the one order of a connection and answers it with the line that this makes, or with the error; never rejects. */
export async function serveOrder(
  { input, output, clock, log }: OrderConnection,
  bytesMax: number,
  carryOut: (line: string) => Promise<string>,
): Promise<void> {
  let answer: string;
  try {
    answer = await carryOut(await readLine(input, clock, bytesMax));
  } catch (error) {
    const known = error instanceof NvrdError ? error : new NvrdError("INTERNAL", errorText(error));
    log.warn({ code: known.code }, known.message);
    answer = errorLine(known);
  }
  await new Promise<void>((resolve) => {
    // If the service has disconnected, the answer is only in the log.
    output.once("error", () => resolve());
    output.end(answer, () => resolve());
  });
}

/** The line that answers with an error. */
function errorLine({ code, message, hint }: NvrdError): string {
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
