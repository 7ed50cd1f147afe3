import { createLog, EXIT, NvrdError, SystemClock } from "../base/index.js";
import { DiskKeeper, SystemDiskTools, serveKeeper } from "../box/storage/index.js";
import { SystemFiles } from "../health/index.js";

/** The user of the service's unit. */
const OWNER = "nvrd";

/**
 * `nvrd disk-keeper`: formats the disk requested on standard input, and answers on standard output; both are a connection of
 * nvrd-disk-keeper.socket. The log goes to standard error.
 */
export async function runDiskKeeperCommand(): Promise<number> {
  if (process.getuid?.() !== 0)
    throw new NvrdError("NOT_AVAILABLE", "the disk keeper needs root rights", {
      hint: "it is started by nvrd-disk-keeper.socket",
    });
  const clock = new SystemClock();
  const log = createLog({ level: "info", destination: { write: (line) => process.stderr.write(line) } });
  const files = new SystemFiles();
  const owner = ownerIn((await files.text("/etc/passwd")) ?? "", OWNER);
  const keeper = new DiskKeeper({ files, tools: new SystemDiskTools(clock), owner, log });
  await serveKeeper({ input: process.stdin, output: process.stdout, keeper, clock, log });
  process.stdin.destroy();
  return EXIT.done;
}

/** `uid:gid` of a user in a text in passwd(5) format. Throws if there is no such user. */
export function ownerIn(passwd: string, name: string): string {
  const line = passwd.split("\n").find((entry) => entry.startsWith(`${name}:`));
  const [, , uid = "", gid = ""] = line?.split(":") ?? [];
  if (!/^\d{1,10}$/.test(uid) || !/^\d{1,10}$/.test(gid))
    throw new NvrdError("NOT_AVAILABLE", `there is no user ${name} to own the disk`, {
      hint: "the Debian package creates it",
    });
  return `${uid}:${gid}`;
}
