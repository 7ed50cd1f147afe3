import { readFileSync } from "node:fs";
import { EMPTY_GUID, errorText, type Guid, type Log, parseGuid } from "../base/index.js";

const BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id";

/** The kernel's id of this boot; the empty id where it cannot be read. */
export function readBootId(log: Log): Guid {
  try {
    return parseGuid(readFileSync(BOOT_ID_FILE, "utf8").trim()) ?? EMPTY_GUID;
  } catch (error) {
    log.warn(`boot id unknown: ${errorText(error)}`);
    return EMPTY_GUID;
  }
}
