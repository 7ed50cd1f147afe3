import type { HistorySpan } from "../../../../src/contract/answer/history.js";
import type { HistoryView } from "../../../../src/health/history/figure-history.js";

/** What the machine did, as a test says. */
export class MemoryHistory {
  readonly views: Record<HistorySpan, HistoryView> = {
    Day: { stepSeconds: 60, startUs: 1_795_251_600_000_000, samples: [] },
    Month: { stepSeconds: 1800, startUs: 1_792_573_200_000_000, samples: [] },
  };

  read(span: HistorySpan): HistoryView {
    return this.views[span];
  }
}
