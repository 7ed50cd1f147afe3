import { errorText } from "../../base/index.js";
import { LMDB_DAMAGE_CODES, printReason, runWalk, WALK_STATUS } from "../../kept/lmdb/index.js";
import { ConfigurationDatabase } from "./configuration-database.js";
import { decodeRevision } from "./revision-document.js";

/** Child process: reads the configuration database at `argv[2]` (`runWalk`). */
async function walk(directory: string): Promise<number> {
  let database: ConfigurationDatabase;
  try {
    database = await ConfigurationDatabase.open(directory);
  } catch (error) {
    const isDamage = LMDB_DAMAGE_CODES.has(codeOf(error));
    return printReason(isDamage ? WALK_STATUS.damaged : WALK_STATUS.unavailable, errorText(error));
  }
  const text = database.read();
  if (text === undefined) return WALK_STATUS.absent;
  const decoded = decodeRevision(text);
  if (decoded.kind === "newer") return WALK_STATUS.newer;
  if (decoded.kind === "damaged") return printReason(WALK_STATUS.damaged, decoded.reason);
  try {
    // Writing the same value also reads the list of free pages; if that is damaged, this process crashes.
    await database.write(Buffer.from(text, "utf8"));
  } catch (error) {
    return printReason(WALK_STATUS.good, `it can be read, but not written: ${errorText(error)}`);
  }
  return WALK_STATUS.good;
}

function codeOf(error: unknown): number {
  return error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : 0;
}

void runWalk(walk);
