import type { Readable, Writable } from "node:stream";
import { type Clock, errorLine, errorText, type Log, NvrdError, readLine } from "../base/index.js";
import type { DiskKeeper } from "./disk-keeper.js";
import { KEEPER_LINE_BYTES_MAX, labelLine, readFormatOrder } from "./keeper-protocol.js";

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
    answer = labelLine(
      await keeper.format(readFormatOrder(await readLine(input, clock, KEEPER_LINE_BYTES_MAX))),
    );
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
