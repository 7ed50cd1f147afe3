import type { Readable, Writable } from "node:stream";
import { type Clock, errorLine, errorText, type Log, NvrdError, readLine } from "../base/index.js";
import { DONE_LINE, KEEPER_LINE_BYTES_MAX, readOrder } from "./keeper-protocol.js";
import type { AfterAnswer, NetworkKeeper } from "./network-keeper.js";

export interface NetworkKeeperServerOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly keeper: Pick<NetworkKeeper, "carryOut">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Executes the one order of a connection and answers it, then does what follows the answer; never rejects. */
export async function serveNetworkKeeper(options: NetworkKeeperServerOptions): Promise<void> {
  const { input, output, keeper, clock, log } = options;
  let after: AfterAnswer | undefined;
  let answer = DONE_LINE;
  try {
    after = await keeper.carryOut(readOrder(await readLine(input, clock, KEEPER_LINE_BYTES_MAX)));
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
  await after?.();
}
