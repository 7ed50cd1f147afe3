import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { loadNativeAddon } from "./native-addon.js";

/** State of the machine's wall clock. */
export interface ClockStatus {
  /** A time server, or another good clock, disciplines it. */
  readonly synchronized: boolean;
  /** The kernel took it from a battery clock when it booted. */
  readonly fromBatteryClock: boolean;
}

/**
 * A clock is synchronized if its maximum error, as estimated by the kernel, is below this. systemd uses the same rule
 * (`ntp_synced` in time-util.c). STA_UNSYNC does not show this: chrony also sets it to keep the kernel from writing the
 * battery clock.
 */
const ERROR_US_MAX = 16_000_000;
/** systemd-timesyncd(8) creates it with the first answer of a server. */
const TIMESYNC_FILE = "/run/systemd/timesync/synchronized";
const BATTERY_CLOCKS = "/sys/class/rtc";

/** Reads a few files of /sys and /run, and calls adjtimex(2): takes microseconds, and no disk access. */
export function readClockStatus(): ClockStatus {
  return {
    synchronized: isDisciplined() || existsSync(TIMESYNC_FILE),
    fromBatteryClock: hasBatteryTime(BATTERY_CLOCKS),
  };
}

function isDisciplined(): boolean {
  const errorUs = readClockErrorUs();
  return errorUs !== undefined && errorUs < ERROR_US_MAX;
}

/**
 * The kernel's maximum error of the wall clock, µs; undefined where it is not available. It rises while nothing
 * disciplines the clock.
 */
export function readClockErrorUs(): number | undefined {
  const { clockErrorMaxUs } = loadNativeAddon().functions;
  const errorUs: unknown = typeof clockErrorMaxUs === "function" ? clockErrorMaxUs() : undefined;
  return typeof errorUs === "number" && errorUs >= 0 ? errorUs : undefined;
}

/** `hctosys` is 1 for the clock that the kernel has set the time from, and only if it could be read (rtc/sysfs.c). */
export function hasBatteryTime(directory: string): boolean {
  if (!existsSync(directory)) return false;
  return readdirSync(directory).some((name) => {
    const file = path.join(directory, name, "hctosys");
    return existsSync(file) && readFileSync(file, "utf8").trim() === "1";
  });
}
