import type { History, HistoryFigureName } from "../../../contract/answer/index.js";

/* What a graph shows, in numbers: no words, no pixels. */

/** A line of a graph: one value a step, null where nothing is known. */
export interface Line {
  readonly means: readonly (number | null)[];
  readonly peaks: readonly (number | null)[];
}

export interface Series {
  readonly startMs: number;
  readonly stepMs: number;
  readonly lines: readonly Line[];
}

export interface Extremes {
  readonly now: number | null;
  readonly mean: number;
  readonly peak: number;
  /** When the peak was. */
  readonly peakMs: number;
}

/** A row of the table beside a graph. */
export interface Stretch {
  readonly startMs: number;
  readonly mean: number;
  readonly peak: number;
}

/** What the latest value may be older than and still be called the present one. */
const NOW_MS = 600_000;

/** `scale` turns what the recorder reports into what is shown: bytes into megabits. */
export function seriesOf(answer: History, figures: readonly HistoryFigureName[], scale: number): Series {
  const scaled = (values: readonly (number | null)[]) =>
    values.map((value) => (value === null ? null : value * scale));
  return {
    startMs: Date.parse(answer.StartTime),
    stepMs: answer.StepSeconds * 1000,
    lines: figures.map((name) => {
      const { Means, Peaks } = answer.Figures[name];
      return { means: scaled(Means), peaks: scaled(Peaks) };
    }),
  };
}

/** Undefined for a line without a value. */
export function extremesOf({ means, peaks }: Line, { startMs, stepMs }: Series): Extremes | undefined {
  const known = means.filter((value) => value !== null);
  if (known.length === 0) return undefined;
  let peakAt = 0;
  peaks.forEach((value, index) => {
    if ((value ?? -Infinity) > (peaks[peakAt] ?? -Infinity)) peakAt = index;
  });
  const last = means.findLastIndex((value) => value !== null);
  const isNow = (means.length - 1 - last) * stepMs <= NOW_MS;
  return {
    now: isNow ? (means[last] ?? null) : null,
    mean: known.reduce((sum, value) => sum + value, 0) / known.length,
    peak: peaks[peakAt] ?? 0,
    peakMs: startMs + peakAt * stepMs,
  };
}

/** Stretches that begin at the given moments, those with values. */
export function stretchesOf(line: Line, series: Series, startsMs: readonly number[]): readonly Stretch[] {
  const { startMs, stepMs } = series;
  const indexOf = (moment: number) => Math.max(0, Math.ceil((moment - startMs) / stepMs));
  return startsMs.flatMap((start, index) => {
    const next = startsMs[index + 1];
    const part = { from: indexOf(start), to: next === undefined ? line.means.length : indexOf(next) };
    const means = line.means.slice(part.from, part.to).filter((value) => value !== null);
    const peaks = line.peaks.slice(part.from, part.to).filter((value) => value !== null);
    if (means.length === 0) return [];
    const mean = means.reduce((sum, value) => sum + value, 0) / means.length;
    return [{ startMs: start, mean, peak: Math.max(...peaks) }];
  });
}

/** A line with so many values at most: neighbours are put together, so that each has room on a small screen. */
export function thinned({ means, peaks }: Line, most: number): Line {
  const every = Math.ceil(means.length / Math.max(1, most));
  const put = (values: readonly (number | null)[], of: (known: readonly number[]) => number) =>
    Array.from({ length: Math.ceil(values.length / every) }, (_, index) => {
      const known = values.slice(index * every, (index + 1) * every).filter((value) => value !== null);
      return known.length === 0 ? null : of(known);
    });
  return {
    means: put(means, (known) => known.reduce((sum, value) => sum + value, 0) / known.length),
    peaks: put(peaks, (known) => Math.max(...known)),
  };
}

/** A round number that is as high as all values or higher: 1, 2 or 5 times a power of ten. */
export function roundMax(series: Series, least: number): number {
  const highest = Math.max(least, ...series.lines.flatMap(({ peaks }) => peaks.map((value) => value ?? 0)));
  const power = 10 ** Math.floor(Math.log10(highest));
  const factor = [1, 2, 5, 10].find((one) => one * power >= highest * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** The outline of values in a box, as `d` of a path; it has gaps where nothing is known. */
export function outline(
  values: readonly (number | null)[],
  box: { readonly left: number; readonly width: number; readonly top: number; readonly height: number },
  max: number,
): string {
  const step = box.width / Math.max(1, values.length - 1);
  let path = "";
  let isDrawing = false;
  values.forEach((value, index) => {
    if (value !== null) {
      const x = (box.left + index * step).toFixed(1);
      const y = (box.top + box.height * (1 - Math.min(1, Math.max(0, value / max)))).toFixed(1);
      // A value that stands alone is a point: a line without length, with round ends.
      path += isDrawing ? `L${x} ${y}` : `M${x} ${y}h0`;
    }
    isDrawing = value !== null;
  });
  return path;
}
