import { type OrderConnection, serveOrder } from "../../base/index.js";
import type { DiskKeeper } from "./disk-keeper.js";
import { KEEPER_LINE_BYTES_MAX, labelLine, readFormatOrder } from "./keeper-protocol.js";

export interface KeeperServerOptions extends OrderConnection {
  readonly keeper: Pick<DiskKeeper, "format">;
}

/** Executes the one order of a connection and answers it; never rejects. */
export function serveKeeper({ keeper, ...connection }: KeeperServerOptions): Promise<void> {
  return serveOrder(connection, KEEPER_LINE_BYTES_MAX, async (line) =>
    labelLine(await keeper.format(readFormatOrder(line))),
  );
}
