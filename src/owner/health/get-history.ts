import { formatIsoTime } from "../../base/index.js";
import {
  type FigureSample,
  HISTORY_SPANS,
  type HistoryFigure,
  type HistorySpan,
  type HistoryView,
} from "../../health/index.js";
import {
  answerJson,
  choice,
  type EndpointResult,
  ISO_TIME,
  type JsonSchema,
  jsonAnswer,
  listOf,
  meaning,
  NUMBER,
  objectOf,
  orNull,
  query,
  type RequestContext,
  type Route,
  type RouteDescription,
  WHOLE,
} from "../../route/index.js";
import type { HealthNeeds } from "./needs.js";

/** The API's names, and how many decimals of a figure mean something. */
const FIGURES: Readonly<
  Record<HistoryFigure, readonly [name: string, decimals: number, description: string]>
> = {
  cpuPercent: ["CpuPercent", 1, "Of all processors of the machine."],
  memoryPercent: ["MemoryPercent", 1, "Of the machine's memory: what programs could not have any more."],
  networkInBytesPerSecond: ["NetworkInBytesPerSecond", 0, "Through all network ports."],
  networkOutBytesPerSecond: ["NetworkOutBytesPerSecond", 0, "Through all network ports."],
  diskWriteBytesPerSecond: ["DiskWriteBytesPerSecond", 0, "Onto all disks, by all programs."],
  celsius: ["Celsius", 1, "The warmest sensor of the processor and the board."],
  depthDays: ["DepthDays", 2, "As `DepthDays` of `/api/health`."],
};
const EXAMPLE_VALUES: Readonly<Record<HistoryFigure, number>> = {
  cpuPercent: 12.5,
  memoryPercent: 41.2,
  networkInBytesPerSecond: 4_100_000,
  networkOutBytesPerSecond: 230_000,
  diskWriteBytesPerSecond: 4_200_000,
  celsius: 52.3,
  depthDays: 31.87,
};

const SERIES = objectOf({
  Means: meaning("Means of the steps; null where nothing is known.", listOf(orNull(NUMBER))),
  Peaks: meaning("The highest minute of each step.", listOf(orNull(NUMBER))),
});

const entries = Object.entries(FIGURES) as [HistoryFigure, (typeof FIGURES)[HistoryFigure]][];

const HISTORY: JsonSchema = objectOf({
  Span: choice(HISTORY_SPANS),
  StepSeconds: meaning("60 for a day, 1800 for a month.", WHOLE),
  StartTime: meaning("When the first step begins.", ISO_TIME),
  Figures: objectOf(
    Object.fromEntries(entries.map(([, [name, , description]]) => [name, meaning(description, SERIES)])),
  ),
});

const DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Tells what the machine did in the last day or month",
  text: [
    "An addition of nvrd's, for graphs. The recorder notes the figures itself, once a minute, in a file of a fixed size in its data directory: the last day by the minute, the last month by the half hour. A power cut loses the last five minutes.",
    "",
    "Each list has one value a step, the oldest first: 1440 for a day, 1488 for a month. A machine without a sensor, or a container, may have no values of a figure at all.",
  ],
  parameters: [query("span", { ...choice(HISTORY_SPANS), default: "Day" }, "How far back.")],
  answer: jsonAnswer(HISTORY, "The figures.", {
    Span: "Month",
    StepSeconds: 1800,
    StartTime: "2026-11-20T09:00:00.0000000Z",
    Figures: Object.fromEntries(
      entries.map(([name, [member]]) => [
        member,
        { Means: [null, EXAMPLE_VALUES[name]], Peaks: [null, EXAMPLE_VALUES[name]] },
      ]),
    ),
  }),
  example: ['curl -fu "$AUTH" "$NVRD/api/system/history?span=month"'],
};

export const HISTORY_ROUTE: Route<HealthNeeds> = {
  method: "GET",
  path: "/api/system/history",
  login: "user",
  endpoint: getHistory,
  describe: DESCRIPTION,
};

/** GET /api/system/history: what the machine did. */
function getHistory({ needs, request }: RequestContext<HealthNeeds>): EndpointResult {
  const span = request.query.oneOf<HistorySpan>("span", HISTORY_SPANS, "Day");
  return answerJson(historyObject(span, needs.history.read(span)));
}

function historyObject(span: HistorySpan, { stepSeconds, startUs, samples }: HistoryView): object {
  const series = (figure: HistoryFigure, of: "means" | "peaks", decimals: number) =>
    samples.map((sample) => rounded(sample, figure, of, decimals));
  return {
    Span: span,
    StepSeconds: stepSeconds,
    StartTime: formatIsoTime(startUs),
    Figures: Object.fromEntries(
      entries.map(([figure, [name, decimals]]) => [
        name,
        { Means: series(figure, "means", decimals), Peaks: series(figure, "peaks", decimals) },
      ]),
    ),
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
