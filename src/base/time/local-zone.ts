import { realpathSync } from "node:fs";
import { MINUTES_PER_HOUR } from "../value/units.js";

const ZONE_FILES = "/zoneinfo/";

/** What Node calls the zone for an empty TZ; other programs refuse the name. */
const UNKNOWN = "Etc/Unknown";

/**
 * The IANA name of this process's time zone. Node has none for a TZ that names a file (`:/etc/localtime`) or an offset
 * (`MSK-3`), although it computes with them: then it is the name of that file, or the zone of the present offset.
 */
export function localZoneName(nowMs = Date.now()): string {
  const name: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (name !== undefined && name !== UNKNOWN) return name;
  return zoneOfFile(process.env.TZ ?? "") ?? zoneOfOffset(new Date(nowMs).getTimezoneOffset());
}

function zoneOfFile(tz: string): string | undefined {
  const path = tz.replace(/^:/, "");
  if (!path.startsWith("/")) return undefined;
  try {
    const file = realpathSync(path);
    const at = file.indexOf(ZONE_FILES);
    if (at < 0) return undefined;
    return new Intl.DateTimeFormat("en", { timeZone: file.slice(at + ZONE_FILES.length) }).resolvedOptions()
      .timeZone;
  } catch {
    // No such file, or a name that Node does not know: the offset is what is known.
    return undefined;
  }
}

/** The sign of `Etc/GMT-3` is that of POSIX: it is three hours ahead of UTC. */
function zoneOfOffset(behindMinutes: number): string {
  const hours = behindMinutes / MINUTES_PER_HOUR;
  if (hours === 0 || !Number.isInteger(hours)) return "UTC";
  return `Etc/GMT${hours > 0 ? "+" : "-"}${Math.abs(hours)}`;
}
