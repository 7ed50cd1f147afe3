import { type OrderConnection, serveOrder } from "../../base/index.js";
import { DONE_LINE, KEEPER_LINE_BYTES_MAX, readOrder } from "./keeper-protocol.js";
import type { AfterAnswer, NetworkKeeper } from "./network-keeper.js";

export interface NetworkKeeperServerOptions extends OrderConnection {
  readonly keeper: Pick<NetworkKeeper, "carryOut">;
}

/** Executes the one order of a connection and answers it, then does what follows the answer; never rejects. */
export async function serveNetworkKeeper({
  keeper,
  ...connection
}: NetworkKeeperServerOptions): Promise<void> {
  let after: AfterAnswer | undefined;
  await serveOrder(connection, KEEPER_LINE_BYTES_MAX, async (line) => {
    after = await keeper.carryOut(readOrder(line));
    return DONE_LINE;
  });
  await after?.();
}
