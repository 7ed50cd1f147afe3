import { type Clock, type Guid, US_PER_MS } from "../../base/index.js";
import { readBlockDisks } from "./block-disks.js";
import { type DiskReport, knowledgeOf, makeDiskReport, reportedDiskOf } from "./disk-report.js";
import type { DiskState } from "./disk-state.js";
import { SmartRounds } from "./smart-rounds.js";
import type { Smartctl } from "./smartctl.js";
import type { SystemFiles } from "./system-files.js";
import { WatchedDisk } from "./watched-disk.js";

export interface DiskReportMakerOptions {
  readonly files: SystemFiles;
  readonly smartctl: Pick<Smartctl, "ask" | "forget">;
  readonly clock: Clock;
  readonly bootId: Guid;
}

/**
 * Asks the disks and makes the report. The entry of `previous` is kept for a disk that was asked within the last 30 minutes, or
 * that sleeps. Waits a minute at most for a disk that hangs.
 */
export async function askDisks(
  { files, smartctl, clock, bootId }: DiskReportMakerOptions,
  previous: DiskReport | undefined,
): Promise<DiskReport> {
  const rounds = new SmartRounds({ smartctl, clock });
  for (const reported of previous?.bootId === bootId ? previous.disks : []) {
    const { disk, askedMonotonicMs } = reported;
    if (askedMonotonicMs === null) continue;
    const askedUs = askedMonotonicMs * US_PER_MS;
    rounds.remember({ disk, askedUs, knowledge: knowledgeOf(reported) });
  }
  const disks = await readBlockDisks(files);
  await rounds.refresh(disks);
  const reported = disks.map((disk) => reportedDiskOf(disk, rounds.of(disk), rounds.askedUs(disk)));
  return makeDiskReport(reported, clock, bootId);
}

/** The disks of a report, as the service would show them from the report alone. */
export function statesIn(report: DiskReport, clock: Clock): readonly DiskState[] {
  const nowUs = clock.monotonicUs();
  return report.disks.map((reported) =>
    new WatchedDisk(undefined, nowUs).note({
      disk: reported.disk,
      named: undefined,
      knowledge: knowledgeOf(reported),
      volumes: [],
      workloadTbPerYear: undefined,
      nowUs,
    }),
  );
}
