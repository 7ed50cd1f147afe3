import type { AnnouncedDisk } from "./announced-disks.js";
import type { BlockDisk } from "./block-disks.js";
import { heatBounds, judge } from "./disk-judgement.js";
import type { DiskState } from "./disk-state.js";
import { diskSummary } from "./disk-summary.js";
import { TEMPERATURE_WARNING } from "./smart-nvme.js";
import type { SmartKnowledge } from "./smart-source.js";
import type { DiskIdentity, SmartReading } from "./smart-types.js";
import { SteadyVerdict } from "./steady-verdict.js";

/** An older reading of a disk that is awake no longer counts. */
export const STALE_US = 24 * 3600 * 1_000_000;

/** The result of a check for one disk. */
export interface DiskLook {
  readonly disk: BlockDisk;
  /** What udev calls it, where the kernel says nothing. */
  readonly named: { readonly model: string; readonly serial: string } | undefined;
  readonly knowledge: SmartKnowledge | undefined;
  readonly volumes: readonly string[];
  readonly workloadTbPerYear: number | undefined;
  readonly nowUs: number;
}

/** One disk over time: its verdict and its heat do not flap. */
export class WatchedDisk {
  readonly #steady: SteadyVerdict;
  #isHot: boolean;
  /** Since when it has not answered. */
  #silentSinceUs: number;

  constructor(announced: AnnouncedDisk | undefined, nowUs: number) {
    const verdict = announced?.verdict;
    this.#steady = new SteadyVerdict(verdict === "silent" ? undefined : verdict);
    this.#isHot = announced?.isHot ?? false;
    this.#silentSinceUs = nowUs;
  }

  get isHot(): boolean {
    return this.#isHot;
  }

  /** It has not answered for a day, and is not asleep. */
  isSilent(nowUs: number): boolean {
    return nowUs - this.#silentSinceUs >= STALE_US;
  }

  note(look: DiskLook): DiskState {
    const { disk, knowledge, nowUs } = look;
    const identity = identityOf(look);
    const isAsleep = knowledge?.isAsleep ?? disk.isSuspended;
    const reading = knowledge?.reading;
    const readUs = knowledge?.readUs;
    // A disk that sleeps neither wears nor loses anything.
    if (isAsleep) this.#silentSinceUs = nowUs;
    else if (readUs !== undefined) this.#silentSinceUs = Math.max(readUs, this.#silentSinceUs);
    const isFresh = isAsleep || (readUs !== undefined && nowUs - readUs < STALE_US);
    const current = isFresh ? reading : undefined;
    this.#steady.note(current === undefined ? undefined : judge(current, look.workloadTbPerYear), nowUs);
    if (current !== undefined) this.#noteHeat(current, identity);
    const state = {
      device: disk.device,
      ...identity,
      bytes: identity.bytes ?? disk.bytes,
      isAsleep,
      volumes: look.volumes,
      verdict: this.#steady.verdict,
      smart: reading,
    };
    const { findings, isRecovering } = this.#steady;
    const summary = diskSummary({
      ...state,
      findings,
      isRecovering,
      isHot: this.#isHot,
      problem: knowledge?.problem,
    });
    return { ...state, summary };
  }

  #noteHeat(reading: SmartReading, identity: DiskIdentity): void {
    const { hotCelsius, coolCelsius } = heatBounds(identity);
    const celsius = reading.temperatureCelsius;
    if (reading.criticalWarnings.includes(TEMPERATURE_WARNING)) this.#isHot = true;
    else if (celsius === null) return;
    else if (celsius >= hotCelsius) this.#isHot = true;
    else if (celsius < coolCelsius) this.#isHot = false;
  }
}

/** What the disk says of itself, else what the kernel and udev know of it; a bridge gives the kernel its own name. */
function identityOf({ disk, named, knowledge }: DiskLook): DiskIdentity {
  const said = knowledge?.identity;
  const first = (...texts: readonly (string | undefined)[]) => texts.find((text) => text) ?? "";
  return {
    model: first(said?.model, disk.model, named?.model),
    serial: first(said?.serial, disk.serial, named?.serial),
    firmware: first(said?.firmware, disk.firmware),
    bytes: said?.bytes ?? null,
    kind: said === undefined || said.kind === "other" ? disk.kind : said.kind,
    isRotational: said?.isRotational ?? disk.isRotational,
  };
}
