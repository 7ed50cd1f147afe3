import { ERRORS, type ErrorCode, NvrdError } from "../../base/index.js";

/**
 * The control socket's protocol, lines of JSON in UTF-8. The client sends one request:
 * `{ "version": 1, "command": "check", "arguments": … }`; the service answers with any number of
 * `{ "progress": "…" }`, then with `{ "result": … }` or `{ "error": { "code": "…", "message": "…" } }`, and closes.
 */
export const CONTROL_VERSION = 1;

/** The socket's name in the data directory. */
export const CONTROL_SOCKET = "control.sock";

/** Large enough to import a whole configuration; only the service's own user can connect. */
export const REQUEST_BYTES_MAX = 16 * 1024 * 1024;
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
export const PROGRESS_LENGTH_MAX = 1000;

export interface ControlRequest {
  readonly version: number;
  readonly command: string;
  readonly arguments: unknown;
}

export type ControlAnswer =
  | { readonly kind: "progress"; readonly text: string }
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "error"; readonly error: NvrdError };

/** Reads a request line. Throws NvrdError BAD_REQUEST or NOT_SUPPORTED. */
export function readRequest(line: string): ControlRequest {
  const data = parseObject(line);
  if (data === undefined || typeof data.command !== "string") {
    throw new NvrdError(
      "BAD_REQUEST",
      "not a control request: a JSON object with version and command on one line",
    );
  }
  if (data.version !== CONTROL_VERSION) {
    const text = `the service speaks version ${CONTROL_VERSION} of the control protocol: use its own command line`;
    throw new NvrdError("NOT_SUPPORTED", text);
  }
  return { version: CONTROL_VERSION, command: data.command, arguments: data.arguments };
}

/** Reads an answer line; returns an error if it is invalid. Never throws. */
export function readAnswer(line: string): ControlAnswer {
  const data = parseObject(line);
  if (data !== undefined && typeof data.progress === "string")
    return { kind: "progress", text: data.progress };
  if (data !== undefined && "result" in data) return { kind: "result", result: data.result };
  const error = data?.error;
  if (typeof error === "object" && error !== null && "code" in error && "message" in error) {
    return { kind: "error", error: new NvrdError(knownCode(error.code), String(error.message)) };
  }
  return { kind: "error", error: new NvrdError("INTERNAL", "the service's answer is invalid") };
}

function knownCode(code: unknown): ErrorCode {
  return typeof code === "string" && Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : "INTERNAL";
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const data: unknown = JSON.parse(line);
    return typeof data === "object" && data !== null ? (data as Record<string, unknown>) : undefined;
  } catch {
    // The caller reports text that is not JSON like any other invalid message.
    return undefined;
  }
}

/** Splits a stream into lines of at most `lineBytesMax` bytes. */
export class LineSplitter {
  readonly #lineBytesMax: number;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax;
  }

  /** The lines that `chunk` completes. Throws NvrdError TOO_LARGE if a line is too long. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      this.#keep(rest.subarray(0, end));
      lines.push(Buffer.concat(this.#pieces).toString("utf8"));
      this.#pieces = [];
      this.#bytes = 0;
      rest = rest.subarray(end + 1);
    }
    this.#keep(rest);
    return lines;
  }

  #keep(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#lineBytesMax) {
      throw new NvrdError(
        "TOO_LARGE",
        `a line of more than ${this.#lineBytesMax} bytes on the control socket`,
      );
    }
    if (piece.length > 0) this.#pieces.push(piece);
  }
}

const NEWLINE = 0x0a;
