import type { CheckReport } from "../../../../src/archive/repair/check-report.js";
import type { ArchiveChecks } from "../../../../src/owner/task/task-kind.js";

/** An archive with 12 files and nothing wrong, whose check ends when a test says so. */
export class MemoryChecks implements ArchiveChecks {
  readonly asked: { readonly rebuild: boolean; readonly deep: boolean }[] = [];
  /** A check lasts until then. */
  ends: Promise<void> = Promise.resolve();

  async check(options: Parameters<ArchiveChecks["check"]>[0]): Promise<CheckReport> {
    const { rebuild, deep, onProgress } = options;
    this.asked.push({ rebuild, deep });
    onProgress({ phase: "files", share: 0.5, files: 6, records: 0, bytes: 0 });
    await this.ends;
    const none = { fragments: 0, leaving: 0, strangers: 0, problems: 0, repaired: 0 };
    const counts = { ...none, files: 12, records: 12 } as CheckReport["counts"];
    return { deep, totalsCompared: true, counts, problems: [], strangers: [] };
  }
}
