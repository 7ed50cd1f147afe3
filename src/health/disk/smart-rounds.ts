import type { Clock } from "../../base/index.js";
import type { BlockDisk } from "./block-disks.js";
import { isSameDisk, type SmartKnowledge, type SmartSource } from "./smart-source.js";
import type { SmartAnswer, Smartctl } from "./smartctl.js";

/** A disk is not asked more often: each request interrupts its work for some milliseconds. */
export const ASK_INTERVAL_US = 30 * 60_000_000;
/** Disks asked at the same time; one that hangs holds up no other for long. */
const ASKED_AT_ONCE = 4;

export interface SmartRoundsOptions {
  readonly smartctl: Pick<Smartctl, "ask" | "forget">;
  readonly clock: Clock;
}

/** The result for one disk, and when it was last asked, monotonic µs. */
export interface AskedDisk {
  readonly disk: BlockDisk;
  readonly askedUs: number;
  readonly knowledge: SmartKnowledge;
}

/** Asks the disks by smartctl in this process, each at most every 30 minutes. */
export class SmartRounds implements SmartSource {
  readonly problem = undefined;
  readonly #options: SmartRoundsOptions;
  readonly #asked = new Map<string, AskedDisk>();
  readonly #asking = new Set<string>();

  constructor(options: SmartRoundsOptions) {
    this.#options = options;
  }

  /** Takes over the results of an earlier process. */
  remember(asked: AskedDisk): void {
    this.#asked.set(asked.disk.device, asked);
  }

  /** When the disk was last asked, monotonic µs; undefined before. */
  askedUs(disk: BlockDisk): number | undefined {
    return this.#known(disk)?.askedUs;
  }

  of(disk: BlockDisk): SmartKnowledge | undefined {
    return this.#known(disk)?.knowledge;
  }

  async refresh(disks: readonly BlockDisk[]): Promise<void> {
    this.#forgetOthers(disks);
    const due = disks.filter((disk) => this.#isDue(disk));
    for (const disk of due) this.#asking.add(disk.device);
    const askNext = async (): Promise<void> => {
      for (let disk = due.shift(); disk !== undefined; disk = due.shift()) {
        try {
          await this.#ask(disk);
        } finally {
          this.#asking.delete(disk.device);
        }
      }
    };
    await Promise.all(Array.from({ length: ASKED_AT_ONCE }, askNext));
  }

  #known(disk: BlockDisk): AskedDisk | undefined {
    const known = this.#asked.get(disk.device);
    return known !== undefined && isSameDisk(known.disk, disk) ? known : undefined;
  }

  #forgetOthers(disks: readonly BlockDisk[]): void {
    for (const [device, { disk }] of this.#asked) {
      if (disks.some((present) => isSameDisk(present, disk))) continue;
      this.#asked.delete(device);
      this.#options.smartctl.forget(device);
    }
  }

  #isDue(disk: BlockDisk): boolean {
    // What is no SCSI, ATA or NVMe disk (virtio, eMMC) has no SMART.
    if (disk.kind === "other" || this.#asking.has(disk.device)) return false;
    const known = this.#known(disk);
    return known === undefined || this.#options.clock.monotonicUs() - known.askedUs >= ASK_INTERVAL_US;
  }

  async #ask(disk: BlockDisk): Promise<void> {
    const { smartctl, clock } = this.#options;
    const askedUs = clock.monotonicUs();
    const answer: SmartAnswer = disk.isSuspended ? { kind: "asleep" } : await smartctl.ask(disk);
    if (answer.kind === "busy") return; // asked again at the next look
    const before = this.#known(disk)?.knowledge;
    this.#asked.set(disk.device, { disk, askedUs, knowledge: learnt(answer, before, clock.monotonicUs()) });
  }
}

/** The state after an answer: an earlier reading is kept until there is a new one. */
function learnt(
  answer: Exclude<SmartAnswer, { kind: "busy" }>,
  before: SmartKnowledge | undefined,
  nowUs: number,
): SmartKnowledge {
  const kept = { identity: before?.identity, reading: before?.reading, readUs: before?.readUs };
  switch (answer.kind) {
    case "asleep":
      return { ...kept, isAsleep: true, problem: undefined };
    case "failed":
      return { ...kept, isAsleep: false, problem: answer.reason };
    case "read": {
      const { identity, reading } = answer;
      const newest = reading === undefined ? kept : { reading, readUs: nowUs };
      return { ...kept, ...newest, identity, isAsleep: false, problem: undefined };
    }
  }
}
