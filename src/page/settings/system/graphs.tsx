import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { History } from "../../../contract/answer/index.js";
import { sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { commonWords } from "../../words/common.js";
import { historyWords } from "../../words/settings/history.js";
import { Graph, type GraphKind } from "./graph.js";
import { seriesOf } from "./graph-model.js";
import { readHistory } from "./model.js";

const SPANS = ["Day", "Month"] as const;
type Span = (typeof SPANS)[number];

const MEGABITS = 8 / 1e6;
const MEGABYTES = 1 / 1e6;
/** The recorder notes once a minute. */
const READ_MS = 60_000;

const KINDS: readonly GraphKind[] = [
  { name: "cpu", figures: ["CpuPercent"], unit: "percent", scale: 1, decimals: 0, least: 100 },
  { name: "memory", figures: ["MemoryPercent"], unit: "percent", scale: 1, decimals: 0, least: 100 },
  {
    name: "network",
    figures: ["NetworkInBytesPerSecond", "NetworkOutBytesPerSecond"],
    ...{ unit: "megabits", scale: MEGABITS, decimals: 0, least: 1 },
  },
  {
    name: "disk",
    figures: ["DiskWriteBytesPerSecond"],
    ...{ unit: "megabytes", scale: MEGABYTES, decimals: 1, least: 1 },
  },
  { name: "temperature", figures: ["Celsius"], unit: "celsius", scale: 1, decimals: 0, least: 50 },
  { name: "depth", figures: ["DepthDays"], unit: "days", scale: 1, decimals: 1, least: 1 },
];

/** What the box did in the last day or month. */
export function Graphs() {
  const words = historyWords();
  const span = useSignal<Span>("Day");
  const answer = useSignal<History | undefined>(undefined);
  const read = async (): Promise<void> => {
    const asked = span.value;
    const answered = await readHistory(asked);
    if (span.peek() === asked) answer.value = answered;
  };
  useRead(read, sayError, [span.value]);
  useEffect(() => {
    const timer = setInterval(() => void read().catch(() => undefined), READ_MS);
    return () => clearInterval(timer);
  }, []);
  const shown = answer.value;
  return (
    <section class="graphs" aria-label={words.title}>
      <header>
        <h3>{words.title}</h3>
        <fieldset class="span-choice" aria-label={words.span}>
          {SPANS.map((name) => (
            <button
              key={name}
              type="button"
              class="button"
              aria-pressed={span.value === name}
              onClick={() => (span.value = name)}
            >
              {words.spans[name]}
            </button>
          ))}
        </fieldset>
      </header>
      {shown === undefined ? (
        <p class="quiet">{commonWords().loading}</p>
      ) : (
        <div class="graph-grid-list">
          {KINDS.map((kind) => (
            <Graph key={kind.name} kind={kind} series={seriesOf(shown, kind.figures, kind.scale)} />
          ))}
        </div>
      )}
    </section>
  );
}
