import type { Readable, Writable } from "node:stream";
import { type Clock, errorText, type Log, NvrdError } from "../base/index.js";
import type { DiskKeeper } from "./disk-keeper.js";
import { errorLine, KEEPER_LINE_BYTES_MAX, labelLine, readFormatOrder } from "./keeper-protocol.js";

/** A client must send its order within this time. */
const ORDER_MS_MAX = 10_000;

export interface KeeperServerOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly keeper: Pick<DiskKeeper, "format">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Executes the one order of a connection and answers it; never rejects. */
export async function serveKeeper({ input, output, keeper, clock, log }: KeeperServerOptions): Promise<void> {
  let answer: string;
  try {
    answer = labelLine(await keeper.format(readFormatOrder(await readLine(input, clock))));
  } catch (error) {
    const told = error instanceof NvrdError ? error : new NvrdError("INTERNAL", errorText(error));
    log.warn({ code: told.code }, told.message);
    answer = errorLine(told);
  }
  await new Promise<void>((resolve) => {
    // If the service has disconnected, the answer is only in the log.
    output.once("error", () => resolve());
    output.end(answer, () => resolve());
  });
}

function readLine(input: Readable, clock: Clock): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const timer = clock.setTimeout(
      () => finish(new NvrdError("BAD_REQUEST", "no order was received")),
      ORDER_MS_MAX,
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
      if (bytes > KEEPER_LINE_BYTES_MAX)
        return finish(new NvrdError("TOO_LARGE", `the order is longer than ${KEEPER_LINE_BYTES_MAX} bytes`));
      pieces.push(piece);
      if (end !== -1) finish(Buffer.concat(pieces).toString("utf8"));
    });
    input.once("end", () => finish(new NvrdError("BAD_REQUEST", "the order is not a complete line")));
    input.once("error", (error) => finish(new NvrdError("BAD_REQUEST", errorText(error))));
  });
}
