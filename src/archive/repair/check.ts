import { FileCheck } from "./check-files.js";
import { RecordCheck } from "./check-records.js";
import type { CheckReport } from "./check-report.js";
import { type CheckOptions, CheckState } from "./check-state.js";

/**
 * Compares index and segments both ways (docs/design/archive-index.md, Check); may run beside recording and retention.
 * Rejects with NOT_AVAILABLE or FORMAT_NEWER when the index cannot be opened, or with the signal's reason; all else is in the
 * report.
 */
export async function checkArchive(options: CheckOptions): Promise<CheckReport> {
  const { index, rebuild, volumes } = options;
  await index.opened();
  const state = new CheckState(options);
  // What is doubted is there, and compared here as it is at the next start.
  const lost = volumes.filter(({ id }) => !(index.isWhole(id) || index.isDoubted(id)));
  for (const { directory, reason } of options.absent ?? []) {
    state.report("volume-failed", directory, reason, false);
  }
  await new FileCheck(state).run();
  const serial = index.serial;
  const records = new RecordCheck(state);
  const fragments = await records.run();
  const totalsCompared = index.serial === serial;
  if (totalsCompared) records.checkTotals();
  if (rebuild) {
    await index.rebuilt(volumes.map(({ id }) => id).filter((id) => !state.failedVolumes.has(id)));
  }
  if (state.problems.count === 0) for (const { id } of volumes) index.noteProven(id);
  // A service that rebuilds its index during this check may be done by now.
  for (const { id } of lost) {
    const repaired = index.isWhole(id);
    if (rebuild || !repaired)
      state.report(
        "index-lost",
        id,
        "the index was made anew and has not taken all of its segments in",
        repaired,
      );
  }
  if (options.protectedFault !== undefined)
    state.report("protected", "protected.json", options.protectedFault, false);
  return reportOf(state, fragments, totalsCompared);
}

function reportOf(state: CheckState, fragments: number, totalsCompared: boolean): CheckReport {
  const { problems, files, records, leaving, strangers, strangerCount } = state;
  return {
    deep: state.options.deep,
    totalsCompared,
    counts: {
      files,
      records,
      fragments,
      leaving,
      strangers: strangerCount,
      problems: problems.count,
      repaired: problems.repaired,
    },
    problems: problems.problems,
    strangers,
  };
}
