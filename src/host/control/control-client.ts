import { connect, type Socket } from "node:net";
import { errorText, NvrdError } from "../../base/index.js";
import {
  ANSWER_BYTES_MAX,
  CONTROL_SOCKET,
  CONTROL_VERSION,
  LineSplitter,
  readAnswer,
} from "./control-protocol.js";
import { type SocketAddress, socketAddress } from "./socket-address.js";

export interface ControlCallOptions {
  readonly dataDir: string;
  readonly command: string;
  /** Sent as JSON. */
  readonly arguments?: unknown;
  /** Called with each line of progress. */
  readonly onProgress?: (line: string) => void;
}

/** No service answers on the control socket: none is running, or it is starting or stopping. */
export class NoServiceError extends NvrdError {
  constructor(dataDir: string, reason: string) {
    super("NOT_AVAILABLE", `no service answers on the control socket in ${dataDir}: ${reason}`);
  }
}

/**
 * Runs a command in the service of `dataDir`; resolves with its result. Rejects with the service's NvrdError, and with
 * NoServiceError if none answers. A command may take long, so there is no time limit: if the caller is interrupted,
 * the service notices.
 */
export async function callControl(options: ControlCallOptions): Promise<unknown> {
  const address = addressOf(options.dataDir);
  try {
    return await converse(connect(address.path), options);
  } finally {
    address.close();
  }
}

function addressOf(dataDir: string): SocketAddress {
  try {
    return socketAddress(dataDir, CONTROL_SOCKET);
  } catch (error) {
    throw notAnswering(dataDir, errorText(error));
  }
}

function converse(socket: Socket, options: ControlCallOptions): Promise<unknown> {
  const lines = new LineSplitter(ANSWER_BYTES_MAX);
  return new Promise<unknown>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      for (const line of lines.push(chunk)) {
        const answer = readAnswer(line);
        if (answer.kind === "progress") options.onProgress?.(answer.text);
        else if (answer.kind === "result") resolve(answer.result);
        else reject(answer.error);
      }
    };
    socket.on("data", (chunk: Buffer) => {
      try {
        take(chunk);
      } catch (error) {
        reject(error);
        socket.destroy();
      }
    });
    socket.once("connect", () => {
      const request = { version: CONTROL_VERSION, command: options.command, arguments: options.arguments };
      socket.write(`${JSON.stringify(request)}\n`);
    });
    socket.once("error", (error) => reject(notAnswering(options.dataDir, errorText(error))));
    socket.once("close", () => reject(notAnswering(options.dataDir, "it closed the connection")));
  });
}

function notAnswering(dataDir: string, reason: string): NvrdError {
  return new NoServiceError(dataDir, reason);
}
