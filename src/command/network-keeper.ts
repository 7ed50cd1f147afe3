import { createLog, EXIT, NvrdError, SystemClock } from "../base/index.js";
import { BoxIdentity, NetworkKeeper, SystemNetworkTools, serveNetworkKeeper } from "../box/network/index.js";
import { SystemFiles } from "../health/index.js";

/**
 * `nvrd network-keeper`: carries out the order on standard input, and answers on standard output; both are a connection of
 * nvrd-network-keeper.socket. The log goes to standard error.
 */
export async function runNetworkKeeperCommand(): Promise<number> {
  if (process.getuid?.() !== 0)
    throw new NvrdError("NOT_AVAILABLE", "the network keeper needs root rights", {
      hint: "it is started by nvrd-network-keeper.socket",
    });
  const clock = new SystemClock();
  const log = createLog({ level: "info", destination: { write: (line) => process.stderr.write(line) } });
  const files = new SystemFiles();
  const tools = new SystemNetworkTools(clock);
  const identity = new BoxIdentity(files, tools);
  const keeper = new NetworkKeeper({ files, tools, identity, clock, log });
  await serveNetworkKeeper({ input: process.stdin, output: process.stdout, keeper, clock, log });
  process.stdin.destroy();
  return EXIT.done;
}
