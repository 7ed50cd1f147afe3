import * as v from "valibot";
import {
  CLOCK_WITNESSES,
  type Clock,
  type ClockKnowledge,
  type ClockSet,
  type ClockStatus,
  type ClockTimer,
  type ClockTrust,
  type ClockWitness,
  type Guid,
  type Log,
} from "../../base/index.js";
import { KeptFile, keptKind } from "../../kept/index.js";

/** A clock before this is wrong: 2026-01-01T00:00:00Z, when this program did not exist yet. */
export const CLOCK_FLOOR_US = Date.UTC(2026, 0, 1) * 1000;
/** How often the wall clock is read. */
const CHECK_INTERVAL_MS = 1000;
/** If wall clock minus monotonic clock changes by more than this between two readings, the wall clock stepped. */
const STEP_US = 1_000_000;
/** A battery clock up to this far behind the newest recording is only slow; further behind, it had stopped. */
const BATTERY_BEHIND_US_MAX = 600_000_000;
/** A battery clock is exact to a second, and the time server's time may be a little off when the two are compared. */
const BATTERY_AGREES_US = 2_000_000;
/** The battery clock is compared at every so many looks. */
const PROOF_LOOKS = 60;

export interface RecorderClockOptions {
  /** The machine's clocks; the monotonic one counts from the kernel's boot. */
  readonly system: Clock;
  readonly bootId: Guid;
  /** Directory of the service's own small files. */
  readonly dataDir: string;
  readonly trust: ClockTrust;
  readonly status: () => ClockStatus;
  /** Time at which the newest recording of earlier boots ends; 0 if there is none. */
  readonly newestUs: () => number;
  readonly log: Log;
  /** Default CLOCK_FLOOR_US. */
  readonly floorUs?: number;
}

/** Times given out while the clock was not known: the monotonic clock and an offset. */
interface Provisional {
  readonly offsetUs: number;
  /** The first of them. */
  readonly fromUs: number;
}

const keptSchema = v.object({
  bootId: v.string(),
  /** Null for a clock that was known from the start. */
  provisional: v.nullable(
    v.object({ offsetUs: v.pipe(v.number(), v.safeInteger()), fromUs: v.pipe(v.number(), v.safeInteger()) }),
  ),
  /** Wall clock less monotonic clock when it became known; null before that. */
  setOffsetUs: v.nullable(v.pipe(v.number(), v.safeInteger())),
  /** Why it is known. Files of earlier versions do not say it. */
  knownBy: v.optional(v.nullable(v.picklist(CLOCK_WITNESSES))),
  /** When a time server last confirmed the battery clock, in whichever boot. */
  batteryAgreedUs: v.optional(v.nullable(v.pipe(v.number(), v.safeInteger()))),
});
type Kept = v.InferOutput<typeof keptSchema>;

export const CLOCK_KIND = keptKind({
  name: "clock.json",
  says: "why the clock was believed",
  policy: "forget",
  damaged: "damaged: whether the clock is known is judged anew",
  schema: keptSchema,
});

/**
 * The service's clock. While the machine's wall clock is not known to be set, it continues from the newest recording
 * with the monotonic clock, so that times rise whatever the wall clock does; when that becomes known, it switches to
 * it, once, and notifies listeners that correct provisional times (docs/design/time.md).
 */
export class RecorderClock implements Clock, ClockKnowledge {
  readonly #options: RecorderClockOptions;
  readonly #file: KeptFile<typeof keptSchema>;
  readonly #setListeners: ((set: ClockSet) => void)[] = [];
  readonly #stepListeners: ((shiftUs: number) => void)[] = [];
  #isKnown = true;
  #knownBy: ClockWitness | undefined;
  /** When a time server last confirmed the battery clock, in whichever boot. */
  #batteryAgreedUs: number | undefined;
  #provisional: Provisional | undefined;
  #set: ClockSet | undefined;
  #isBatteryProven = false;
  #looks = 0;
  #wallOffsetUs = 0;
  /** Time at which the newest recording of earlier boots ends. */
  #earlierUs = 0;
  #timer: ClockTimer | undefined;

  constructor(options: RecorderClockOptions) {
    this.#options = options;
    const { dataDir: directory, log } = options;
    this.#file = new KeptFile(CLOCK_KIND, { directory, log, content: () => this.#content() });
  }

  get isKnown(): boolean {
    return this.#isKnown;
  }

  get knownBy(): ClockWitness | undefined {
    return this.#knownBy;
  }

  get provisionalOffsetUs(): number | undefined {
    return this.#provisional?.offsetUs;
  }

  get set(): ClockSet | undefined {
    return this.#set;
  }

  /** Decides whether the clock is known; before this call, times are the machine's. The data directory must exist. */
  start(): void {
    const { system, log, bootId } = this.#options;
    this.#wallOffsetUs = this.#readOffsetUs();
    const kept = this.#file.read();
    const sameBoot = kept?.bootId === bootId ? kept : undefined;
    this.#provisional = sameBoot?.provisional ?? undefined;
    this.#earlierUs = Math.min(
      this.#options.newestUs(),
      this.#provisional?.fromUs ?? Number.POSITIVE_INFINITY,
    );
    const setOffsetUs = sameBoot?.setOffsetUs ?? null;
    this.#batteryAgreedUs = kept?.batteryAgreedUs ?? undefined;
    this.#knownBy = setOffsetUs === null ? this.#witness() : (sameBoot?.knownBy ?? this.#witness());
    this.#isKnown = setOffsetUs !== null || this.#knownBy !== undefined;
    if (setOffsetUs !== null) this.#noteSet(setOffsetUs);
    else if (this.#isKnown) this.#noteSet(this.#wallOffsetUs);
    else this.#provisional ??= this.#newProvisional();
    if (!this.#isKnown) {
      log.warn(
        { provisionalTime: isoText(this.nowUs()), wallTime: isoText(system.nowUs()) },
        "the clock is not known to be set: recordings get provisional times, and none is deleted because of its age",
      );
    }
    this.#file.changed();
    this.#timer = system.setInterval(() => this.#checkWallClock(), CHECK_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.#timer?.clear();
    await this.#file.flush();
  }

  onSet(listener: (set: ClockSet) => void): void {
    this.#setListeners.push(listener);
  }

  onStepped(listener: (shiftUs: number) => void): void {
    this.#stepListeners.push(listener);
  }

  /** An operator vouches for the wall clock as it is now. A clock that is known already stays as it is. */
  trust(): void {
    if (!this.#isKnown) this.#becomeKnown("operator");
  }

  nowUs(): number {
    const { system } = this.#options;
    if (this.#isKnown || this.#provisional === undefined) return system.nowUs();
    return this.#provisional.offsetUs + system.monotonicUs();
  }

  monotonicUs(): number {
    return this.#options.system.monotonicUs();
  }

  heldUs(): number {
    return this.#options.system.heldUs?.() ?? 0;
  }

  setTimeout(run: () => void, delayMs: number): ClockTimer {
    return this.#options.system.setTimeout(run, delayMs);
  }

  setInterval(run: () => void, periodMs: number): ClockTimer {
    return this.#options.system.setInterval(run, periodMs);
  }

  /** One offset for all times of a boot, so that they are corrected together when the clock becomes known. */
  #newProvisional(): Provisional {
    const { system } = this.#options;
    const fromUs = Math.max(system.nowUs(), this.#earlierUs + 1, this.#floorUs);
    return { offsetUs: fromUs - system.monotonicUs(), fromUs };
  }

  #checkWallClock(): void {
    const offsetUs = this.#readOffsetUs();
    const shiftUs = offsetUs - this.#wallOffsetUs;
    this.#wallOffsetUs = offsetUs;
    const stepped = Math.abs(shiftUs) > STEP_US;
    if (!this.#isKnown) {
      // Somebody set it: an administrator, or a program that does not report to the kernel.
      const isSet = stepped && this.#options.system.nowUs() >= this.#floorUs;
      const witness = this.#witness() ?? (isSet ? "set" : undefined);
      if (witness !== undefined) this.#becomeKnown(witness);
      return;
    }
    this.#proveBattery();
    if (!stepped) return;
    this.#options.log.warn({ shiftUs }, "the wall clock stepped");
    for (const listener of this.#stepListeners) listener(shiftUs);
  }

  /** What vouches for the wall clock now; undefined: nothing does. */
  #witness(): ClockWitness | undefined {
    const { trust, status, system } = this.#options;
    if (trust === "always") return "settings";
    const { synchronized, fromBatteryClock, fromHostClock, batteryTimeUs } = status();
    if (synchronized) return "time-server";
    if (trust === "network") return undefined;
    const leastUs = Math.max(this.#floorUs, this.#earlierUs - BATTERY_BEHIND_US_MAX);
    if (system.nowUs() < leastUs) return undefined;
    if (fromBatteryClock) return "battery-clock";
    if (fromHostClock) return "host";
    // The kernel does not report whether it read it: it counts when a time server found it right before.
    const isProven = this.#batteryAgreedUs !== undefined && this.#agrees(batteryTimeUs);
    return isProven ? "battery-clock" : undefined;
  }

  #agrees(batteryTimeUs: number | undefined): boolean {
    if (batteryTimeUs === undefined) return false;
    return Math.abs(this.#options.system.nowUs() - batteryTimeUs) <= BATTERY_AGREES_US;
  }

  /** Notes once a boot that a time server and the battery clock agree. */
  #proveBattery(): void {
    if (this.#isBatteryProven || this.#looks++ % PROOF_LOOKS !== 0) return;
    const { synchronized, batteryTimeUs } = this.#options.status();
    if (!synchronized || !this.#agrees(batteryTimeUs)) return;
    this.#isBatteryProven = true;
    this.#batteryAgreedUs = this.#options.system.nowUs();
    this.#file.changed();
  }

  #becomeKnown(witness: ClockWitness): void {
    this.#isKnown = true;
    this.#knownBy = witness;
    this.#noteSet(this.#wallOffsetUs);
    this.#file.changed();
    const set = this.#set;
    if (set === undefined) return;
    this.#options.log.info({ shiftUs: set.shiftUs, knownBy: witness }, "the clock is known to be set");
    for (const listener of this.#setListeners) listener(set);
  }

  /** Does nothing for a clock that was known from the boot's first start. */
  #noteSet(offsetUs: number): void {
    if (this.#provisional === undefined) return;
    const shiftUs = offsetUs - this.#provisional.offsetUs;
    this.#set = { offsetUs, shiftUs, provisionalFromUs: this.#provisional.fromUs };
  }

  get #floorUs(): number {
    return this.#options.floorUs ?? CLOCK_FLOOR_US;
  }

  #readOffsetUs(): number {
    const { system } = this.#options;
    return system.nowUs() - system.monotonicUs();
  }

  #content(): Kept {
    return {
      bootId: this.#options.bootId,
      provisional: this.#provisional ?? null,
      knownBy: this.#knownBy ?? null,
      batteryAgreedUs: this.#batteryAgreedUs ?? null,
      setOffsetUs: this.#isKnown ? (this.#set?.offsetUs ?? this.#wallOffsetUs) : null,
    };
  }
}

function isoText(timeUs: number): string {
  return new Date(Math.floor(timeUs / 1000)).toISOString();
}
