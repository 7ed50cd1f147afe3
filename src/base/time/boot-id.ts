import { readFileSync } from "node:fs";
import type { Log } from "../log/log.js";
import { errorText } from "../value/errors.js";
import { EMPTY_GUID, type Guid, parseGuid } from "../value/guid.js";

const BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id";

/** The kernel's id of this boot; the empty id if it cannot be read. */
export function readBootId(log: Log): Guid {
  try {
    return parseGuid(readFileSync(BOOT_ID_FILE, "utf8").trim()) ?? EMPTY_GUID;
  } catch (error) {
    log.warn(`boot id unknown: ${errorText(error)}`);
    return EMPTY_GUID;
  }
}
