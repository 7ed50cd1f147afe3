import {
  choice,
  group,
  integer,
  listOf,
  meaning,
  nullable,
  number,
  time,
  type ValueOf,
} from "../kinds/kinds.js";

/** What the machine did in the last day and month: `/api/system/history`. */

export const HISTORY_SPANS = ["Day", "Month"] as const;
export type HistorySpan = (typeof HISTORY_SPANS)[number];

const series = group({
  Means: meaning("Means of the steps; null where nothing is known.", listOf(nullable(number))),
  Peaks: meaning("The highest minute of each step.", listOf(nullable(number))),
});
export type HistorySeries = ValueOf<typeof series>;

export const history = group({
  Span: choice(...HISTORY_SPANS),
  StepSeconds: meaning("60 for a day, 1800 for a month.", integer),
  StartTime: meaning("When the first step begins.", time),
  Figures: group({
    CpuPercent: meaning("Of all processors of the machine.", series),
    MemoryPercent: meaning("Of the machine's memory: what programs could not have any more.", series),
    NetworkInBytesPerSecond: meaning("Through all network ports.", series),
    NetworkOutBytesPerSecond: meaning("Through all network ports.", series),
    DiskWriteBytesPerSecond: meaning("Onto all disks, by all programs.", series),
    Celsius: meaning("The warmest sensor of the processor and the board.", series),
    DepthDays: meaning("As `DepthDays` of `/api/health`.", series),
  }),
});
export type History = ValueOf<typeof history>;
export type HistoryFigureName = keyof History["Figures"];
