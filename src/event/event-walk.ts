import { LMDB_DAMAGE_CODES, runWalk, walkTables } from "../kept/lmdb/index.js";
import { EVENT_LOG_FORMAT, EVENT_TABLES } from "./event-environment.js";
import { openValue, sealValue } from "./series.js";

/** Child process: reads the whole event log at `argv[2]` (`runWalk`). */
void runWalk((directory) =>
  walkTables(directory, {
    tables: EVENT_TABLES,
    keyTables: new Set(["index"]),
    overlappingSync: false,
    seal: sealValue,
    unseal: openValue,
    judgeFormat: (format) => (format !== undefined && format > EVENT_LOG_FORMAT ? "newer" : undefined),
    // A log without a format must be empty, because the format is written with the first event.
    judgeRecords: (format, records) =>
      format === undefined && records > 0 ? "its format is not named" : undefined,
    isDamage: (code) => LMDB_DAMAGE_CODES.has(code),
  }),
);
