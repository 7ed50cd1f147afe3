import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { loadNativeAddon } from "../process/native-addon.js";
import { US_PER_SECOND } from "../value/units.js";

/** State of the machine's wall clock. */
export interface ClockStatus {
  /** A time server, or another good clock, disciplines it. */
  readonly synchronized: boolean;
  /** The kernel took it from a battery clock when it booted. */
  readonly fromBatteryClock: boolean;
  /** The machine is a virtual one, and the kernel took the time from its host when it booted. */
  readonly fromHostClock: boolean;
  /** What a battery clock shows now, Unix microseconds, exact to a second; undefined where none can be read. */
  readonly batteryTimeUs: number | undefined;
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
const CLOCK_SOURCES = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
/** Clock sources of machines whose kernel reads the wall clock from the host at boot (x86_platform.get_wallclock). */
const HOST_CLOCK_SOURCES: ReadonlySet<string> = new Set(["kvm-clock", "xen"]);

/** Reads a few files of /sys and /run, and calls adjtimex(2): takes microseconds, and no disk access. */
export function readClockStatus(): ClockStatus {
  return {
    synchronized: isDisciplined() || existsSync(TIMESYNC_FILE),
    fromBatteryClock: hasBatteryTime(BATTERY_CLOCKS),
    fromHostClock: hasHostTime(CLOCK_SOURCES),
    batteryTimeUs: readBatteryTimeUs(BATTERY_CLOCKS),
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

/** Whether the kernel lists a clock source that comes with a host's wall clock. `file`: available_clocksource of sysfs. */
export function hasHostTime(file: string): boolean {
  if (!existsSync(file)) return false;
  return readFileSync(file, "utf8")
    .split(/\s+/)
    .some((name) => HOST_CLOCK_SOURCES.has(name));
}

/** `since_epoch` of the first clock below `directory` that can be read (rtc/sysfs.c). */
export function readBatteryTimeUs(directory: string): number | undefined {
  if (!existsSync(directory)) return undefined;
  for (const name of readdirSync(directory)) {
    const seconds = batterySeconds(path.join(directory, name, "since_epoch"));
    if (seconds !== undefined) return seconds * US_PER_SECOND;
  }
  return undefined;
}

function batterySeconds(file: string): number | undefined {
  try {
    const seconds = Number(readFileSync(file, "utf8").trim());
    return Number.isSafeInteger(seconds) && seconds > 0 ? seconds : undefined;
  } catch {
    // A clock without power answers EINVAL: it shows no time.
    return undefined;
  }
}

/** `hctosys` is 1 for the clock that the kernel has set the time from, and only if it could be read (rtc/sysfs.c). */
export function hasBatteryTime(directory: string): boolean {
  if (!existsSync(directory)) return false;
  return readdirSync(directory).some((name) => {
    const file = path.join(directory, name, "hctosys");
    return existsSync(file) && readFileSync(file, "utf8").trim() === "1";
  });
}
