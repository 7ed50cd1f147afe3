import { formatIsoTime } from "../../base/index.js";
import { type History, type HistorySeries, type HistorySpan, history } from "../../contract/answer/index.js";
import { historyQuery } from "../../contract/query/index.js";
import type { FigureSample, HistoryFigure, HistoryView } from "../../health/index.js";
import {
  answerJson,
  capitalized,
  capitalName,
  describeQuery,
  jsonAnswer,
  type Route,
  readParameter,
  schemaOf,
} from "../../route/index.js";
import type { HealthNeeds } from "./states.js";

/** How many decimals of a figure mean something, and what an example says. */
const FIGURES: Readonly<Record<HistoryFigure, readonly [decimals: number, example: number]>> = {
  cpuPercent: [1, 12.5],
  memoryPercent: [1, 41.2],
  networkInBytesPerSecond: [0, 4_100_000],
  networkOutBytesPerSecond: [0, 230_000],
  diskWriteBytesPerSecond: [0, 4_200_000],
  celsius: [1, 52.3],
  depthDays: [2, 31.87],
};

const entries = Object.entries(FIGURES) as [HistoryFigure, (typeof FIGURES)[HistoryFigure]][];

export const HISTORY_ROUTE: Route<HealthNeeds> = {
  method: "GET",
  path: "/api/system/history",
  login: "user",

  describe: {
    topic: "system",
    summary: "Returns what the machine did in the last day or month",
    text: [
      "An addition of nvrd's, for graphs. The recorder notes the figures itself, once a minute, in a file of a fixed size in its data directory: the last day by the minute, the last month by the half hour. A power cut loses the last five minutes.",
      "",
      "Each list has one value a step, the oldest first: 1440 for a day, 1488 for a month. A machine without a sensor, or a container, may have no values of a figure at all.",
    ],
    parameters: describeQuery(historyQuery),
    answer: jsonAnswer(schemaOf(history), "The figures.", {
      Span: "Month",
      StepSeconds: 1800,
      StartTime: "2026-11-20T09:00:00.0000000Z",
      Figures: Object.fromEntries(
        entries.map(([figure, [, value]]) => [
          capitalName(figure),
          { Means: [null, value], Peaks: [null, value] },
        ]),
      ),
    }),
    example: ['curl -fu "$AUTH" "$NVRD/api/system/history?span=month"'],
  },
  /** GET /api/system/history: what the machine did. */
  endpoint({ needs, request }) {
    const span = readParameter(request.query, historyQuery, "span");
    return answerJson<History>(historyObject(span, needs.history.read(span)));
  },
};

function historyObject(span: HistorySpan, { stepSeconds, startUs, samples }: HistoryView): History {
  const series = (figure: HistoryFigure, decimals: number): HistorySeries => ({
    Means: samples.map((sample) => rounded(sample, figure, "means", decimals)),
    Peaks: samples.map((sample) => rounded(sample, figure, "peaks", decimals)),
  });
  const figures = Object.fromEntries(
    entries.map(([figure, [decimals]]) => [figure, series(figure, decimals)] as const),
  ) as Record<HistoryFigure, HistorySeries>;
  return {
    Span: span,
    StepSeconds: stepSeconds,
    StartTime: formatIsoTime(startUs),
    Figures: capitalized(figures),
  };
}

function rounded(
  sample: FigureSample | undefined,
  figure: HistoryFigure,
  of: "means" | "peaks",
  decimals: number,
): number | null {
  const value = sample?.[of][figure] ?? null;
  return value === null ? null : Math.round(value * 10 ** decimals) / 10 ** decimals;
}
