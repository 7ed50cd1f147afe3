import { runWalk, walkTables } from "../../kept/lmdb/index.js";
import { INDEX_FORMAT } from "./index-environment.js";
import { TABLES } from "./index-store.js";
import { openValue, sealValue } from "./index-table.js";

/** Child process: reads the whole index at `argv[2]` (`runWalk`). */

/**
 * Errors of a full or failing disk, or of a machine short of resources: EIO, EAGAIN, ENOMEM, ENFILE, EMFILE, ENOSPC, EROFS,
 * EDQUOT.
 */
const PASSING_CODES = new Set([5, 11, 12, 23, 24, 28, 30, 122]);

void runWalk((directory) =>
  walkTables(directory, {
    tables: TABLES,
    overlappingSync: true,
    seal: sealValue,
    unseal: openValue,
    judgeFormat: (format) => {
      if (format === undefined) return { fault: "its format is not named" };
      if (format > INDEX_FORMAT) return "newer";
      return format < INDEX_FORMAT ? { fault: "its format is an older one" } : undefined;
    },
    // The index is a cache: what cannot be opened for good is rebuilt.
    isDamage: (code) => !PASSING_CODES.has(code),
  }),
);
