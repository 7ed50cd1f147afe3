import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import type { HistoryFigureName } from "../../../contract/answer/index.js";
import { daysText } from "../../state/figures.js";
import { locale } from "../../state/locale.js";
import { boxZone, timeFormat } from "../../state/time-format.js";
import { addDays, DAY_MS } from "../../state/zone.js";
import { historyWords } from "../../words/settings/history.js";
import {
  extremesOf,
  type Line,
  outline,
  roundMax,
  type Series,
  stretchesOf,
  thinned,
} from "./graph-model.js";

/** One graph of the screen. */
export interface GraphKind {
  readonly name: keyof ReturnType<typeof historyWords>["graph"];
  readonly figures: readonly HistoryFigureName[];
  readonly unit: keyof ReturnType<typeof historyWords>["unit"];
  /** From the recorder's unit to the one that is shown. */
  readonly scale: number;
  readonly decimals: number;
  /** The graph is at least so high. */
  readonly least: number;
}

const HEIGHT = 140;
const MARGIN = { right: 8, top: 8, bottom: 22 };
/** What a letter beside the graph needs at most, pixels. */
const LETTER = 8;
const WIDTH_FIRST = 320;
/** Narrower, a line is a block. */
const PIXELS_A_VALUE = 2;
const HOUR_MS = 3_600_000;

interface GraphProps {
  readonly kind: GraphKind;
  readonly series: Series;
}

/** A graph with its figures in a sentence, and as a table for who cannot see it. */
export function Graph({ kind, series }: GraphProps) {
  const words = historyWords();
  const isOpen = useSignal(false);
  const id = useId();
  const sentences = series.lines.map((line, index) => sentenceOf(kind, series, line, index));
  const isKnown = sentences.some((sentence) => sentence !== undefined);
  return (
    <figure class="card graph-card">
      <figcaption id={id}>
        <h4>{words.graph[kind.name]}</h4>
        {isKnown ? (
          sentences.map((sentence) => sentence !== undefined && <p key={sentence}>{sentence}</p>)
        ) : (
          <p class="hint">{words.unknown[kind.name]}</p>
        )}
      </figcaption>
      {isKnown && (
        <>
          <Drawing kind={kind} series={series} labelledBy={id} />
          <details
            onToggle={(event) => {
              isOpen.value = event.currentTarget.open;
            }}
          >
            <summary>{words.asTable(words.graph[kind.name])}</summary>
            {isOpen.value && <Table kind={kind} series={series} />}
          </details>
        </>
      )}
    </figure>
  );
}

function Drawing({ kind, series, labelledBy }: GraphProps & { readonly labelledBy: string }) {
  const element = useRef<SVGSVGElement>(null);
  const width = useSignal(WIDTH_FIRST);
  useEffect(() => {
    const shown = element.current;
    if (shown === null) return;
    // Drawn in the pixels that there are, so that its words have the size of words on any screen.
    const observer = new ResizeObserver(() => {
      width.value = Math.max(WIDTH_FIRST / 2, Math.round(shown.clientWidth));
    });
    observer.observe(shown);
    return () => observer.disconnect();
  }, []);
  const max = roundMax(series, kind.least);
  const grid = [0, 0.5, 1].map((part) => ({ part, label: valueWords(kind, max * part) }));
  const left = LETTER * Math.max(...grid.map(({ label }) => label.length)) + 6;
  const box = {
    left,
    top: MARGIN.top,
    width: width.value - left - MARGIN.right,
    height: HEIGHT - MARGIN.top - MARGIN.bottom,
  };
  const bottom = box.top + box.height;
  const count = series.lines[0]?.means.length ?? 1;
  const xOf = (moment: number) =>
    box.left + ((moment - series.startMs) / (series.stepMs * Math.max(1, count - 1))) * box.width;
  const isMonth = series.stepMs > 60_000;
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: the caption names it
    <svg
      ref={element}
      class="graph"
      viewBox={`0 0 ${width.value} ${HEIGHT}`}
      role="img"
      aria-labelledby={labelledBy}
    >
      {grid.map(({ part, label }) => (
        <g key={part}>
          <path class="graph-grid" d={`M${box.left} ${bottom - part * box.height}h${box.width}`} />
          <text class="graph-word end" x={box.left - 6} y={bottom - part * box.height + 4}>
            {label}
          </text>
        </g>
      ))}
      {ticksOf(series, width.value).map(({ moment, words }) => (
        <g key={moment}>
          <path class="graph-grid" d={`M${xOf(moment).toFixed(1)} ${box.top}v${box.height}`} />
          <text class="graph-word middle" x={wordX(words, xOf(moment), width.value)} y={HEIGHT - 6}>
            {words}
          </text>
        </g>
      ))}
      {series.lines.map((line, index) => {
        const { means, peaks } = thinned(line, box.width / PIXELS_A_VALUE);
        return (
          <g key={kind.figures[index]} class={`graph-line line-${index}`}>
            {isMonth && <path class="graph-peak" d={outline(peaks, box, max)} />}
            <path d={outline(means, box, max)} />
          </g>
        );
      })}
    </svg>
  );
}

function Table({ kind, series }: GraphProps) {
  const words = historyWords();
  const isMonth = series.stepMs > 60_000;
  const starts = isMonth ? daysOf(series) : hoursOf(series, 1);
  const format = timeFormat(locale.value, isMonth ? { dateStyle: "medium" } : { timeStyle: "short" });
  const rows = series.lines.flatMap((line, index) =>
    stretchesOf(line, series, starts).map((stretch) => ({ ...stretch, index })),
  );
  const several = series.lines.length > 1;
  return (
    <table class="graph-table">
      <thead>
        <tr>
          <th scope="col">{isMonth ? words.dayColumn : words.hourColumn}</th>
          <th scope="col">{words.meanColumn}</th>
          <th scope="col">{words.peakColumn}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ startMs, mean, peak, index }) => (
          <tr key={`${index} ${startMs}`}>
            <th scope="row">
              {several ? `${words.line[index === 0 ? "in" : "out"]}, ` : ""}
              {format.format(startMs)}
            </th>
            <td>{valueWords(kind, mean)}</td>
            <td>{valueWords(kind, peak)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function sentenceOf(kind: GraphKind, series: Series, line: Line, index: number): string | undefined {
  const words = historyWords();
  const extremes = extremesOf(line, series);
  if (extremes === undefined) return undefined;
  const { now, mean, peak, peakMs } = extremes;
  const when = timeFormat(locale.value, { dateStyle: "medium", timeStyle: "short" }).format(peakMs);
  const name = series.lines.length > 1 ? `${words.line[index === 0 ? "in" : "out"]}: ` : "";
  const present = now === null ? "" : `${words.now(valueWords(kind, now))} `;
  return `${name}${present}${words.summary(valueWords(kind, mean), valueWords(kind, peak), when)}`;
}

function valueWords({ unit, decimals }: GraphKind, value: number): string {
  if (unit === "days" && value > 0 && value < 2) return daysText(value);
  const maximumFractionDigits = value !== 0 && Math.abs(value) < 10 ? Math.max(1, decimals) : decimals;
  return historyWords().unit[unit](
    new Intl.NumberFormat(locale.value, { maximumFractionDigits }).format(value),
  );
}

/** Where the middle of a word below its mark goes, so that the graph has all of it. */
function wordX(word: string, x: number, width: number): string {
  const half = (LETTER * word.length) / 2;
  return Math.max(half, Math.min(x, width - half)).toFixed(1);
}

/** Marks below a graph: as many as have room, each on a whole hour or at midnight of the box's zone. */
function ticksOf(series: Series, width: number): readonly { moment: number; words: string }[] {
  const isMonth = series.stepMs > 60_000;
  const isNarrow = width < 480;
  const moments = isMonth ? daysOf(series) : hoursOf(series, isNarrow ? 6 : 3);
  const every = isMonth ? (isNarrow ? 7 : 4) : 1;
  const format = timeFormat(
    locale.value,
    isMonth ? { day: "numeric", month: "short" } : { hour: "2-digit", minute: "2-digit" },
  );
  return moments
    .filter((_, index) => index % every === 0)
    .map((moment) => ({ moment, words: format.format(moment) }));
}

function endOf({ startMs, stepMs, lines }: Series): number {
  return startMs + (lines[0]?.means.length ?? 0) * stepMs;
}

function daysOf(series: Series): readonly number[] {
  const zone = boxZone.value;
  const found: number[] = [];
  for (let day = addDays(zone.dayAt(series.startMs), 1); ; day = addDays(day, 1)) {
    const moment = zone.startOf(day);
    if (moment >= endOf(series) - DAY_MS / 8) return found;
    found.push(moment);
  }
}

function hoursOf(series: Series, every: number): readonly number[] {
  const found: number[] = [];
  const first = Math.ceil(series.startMs / HOUR_MS) * HOUR_MS;
  for (let moment = first; moment < endOf(series); moment += HOUR_MS)
    if (boxZone.value.readingAt(moment).hour % every === 0) found.push(moment);
  return found;
}
