import { errorText } from "../../base/index.js";
import { ConfigurationDatabase } from "./configuration-database.js";
import { WALK_STATUS } from "./configuration-health.js";
import { decodeRevision } from "./revision-document.js";

/**
 * The child process that opens a configuration database of unknown health, so that a damaged one kills it and not
 * the service. Run as `node configuration-walk.js DIRECTORY`; the answer is the exit status.
 */

/** LMDB's own errors (lmdb.h): page not found, corrupted, panic, version mismatch, invalid. Others are the system's. */
const DAMAGE_CODES = new Set([-30797, -30796, -30795, -30794, -30793]);

async function walk(directory: string): Promise<number> {
  let database: ConfigurationDatabase;
  try {
    database = await ConfigurationDatabase.open(directory);
  } catch (error) {
    process.stderr.write(errorText(error));
    return DAMAGE_CODES.has(codeOf(error)) ? WALK_STATUS.damaged : WALK_STATUS.unavailable;
  }
  const text = database.read();
  if (text === undefined) return WALK_STATUS.absent;
  const decoded = decodeRevision(text);
  if (decoded.kind === "newer") return WALK_STATUS.newer;
  if (decoded.kind === "damaged") {
    process.stderr.write(decoded.reason);
    return WALK_STATUS.damaged;
  }
  try {
    // Writing what is there anyway walks the list of free pages too: if that is damaged, this process dies of it.
    await database.write(text);
  } catch (error) {
    process.stderr.write(`reads, but does not write: ${errorText(error)}`);
  }
  return WALK_STATUS.whole;
}

function codeOf(error: unknown): number {
  return error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : 0;
}

// lmdb rejects promises nobody holds when a disk is full; here the exit status says what matters.
process.on("unhandledRejection", (reason) => process.stderr.write(errorText(reason)));
process.exit(await walk(process.argv[2] ?? ""));
