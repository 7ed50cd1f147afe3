import { type Clock, errorText, type Guid, MS_PER_MINUTE, US_PER_MS } from "../../base/index.js";
import type { BlockDisk } from "./block-disks.js";
import { type DiskReport, knowledgeOf, readDiskReport } from "./disk-report.js";
import { isSameDisk, type SmartKnowledge, type SmartSource } from "./smart-source.js";

/** An older report is reported as a fault: its timer, which fires every 30 minutes, does not run. */
export const DISK_REPORT_AGE_MS_MAX = 2 * 3_600_000;

export interface ReportSourceOptions {
  readonly file: string;
  readonly clock: Clock;
  /** The kernel's id of this boot: times of another one mean nothing. */
  readonly bootId: Guid;
}

/** Takes the readings from the report that a process with more rights writes. */
export class ReportSource implements SmartSource {
  readonly #options: ReportSourceOptions;
  #report: DiskReport | undefined;
  #problem: string | undefined;

  constructor(options: ReportSourceOptions) {
    this.#options = options;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  async refresh(): Promise<void> {
    const { file, bootId } = this.#options;
    try {
      const report = await readDiskReport(file);
      if (report === undefined) this.#problem = `there is no disk report ${file}: does nvrd-disks.timer run?`;
      else if (report.bootId !== bootId)
        this.#problem = `the disk report ${file} is from before the machine's last start`;
      else {
        this.#report = report;
        this.#problem = this.#ageProblem(report);
      }
    } catch (error) {
      this.#problem = errorText(error);
    }
  }

  of(disk: BlockDisk): SmartKnowledge | undefined {
    const reported = this.#report?.disks.find((known) => isSameDisk(known.disk, disk));
    return reported === undefined ? undefined : knowledgeOf(reported);
  }

  #ageProblem({ writtenMonotonicMs }: DiskReport): string | undefined {
    const { clock, file } = this.#options;
    const ageMs = clock.monotonicUs() / US_PER_MS - writtenMonotonicMs;
    if (ageMs <= DISK_REPORT_AGE_MS_MAX) return undefined;
    const minutes = Math.round(ageMs / MS_PER_MINUTE);
    return `the disk report ${file} is ${minutes} minutes old: does nvrd-disks.timer run?`;
  }
}
