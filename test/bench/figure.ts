/** One measured value, what is wanted of it, and what it was compared with. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The value may be at most (or must be at least) this; absent: told only. */
  readonly wanted?: { readonly atMost: number } | { readonly atLeast: number };
  /** The peer or the condition behind `wanted`, in words. */
  readonly peer?: string;
  /** Its place in the table of programs; absent: it has none there. */
  readonly cell?: { readonly work: string; readonly program: Program };
}

/** The columns of the table of programs. */
export const PROGRAMS = [
  "nvrd",
  "Moonfire NVR",
  "MediaMTX",
  "go2rtc",
  "ffmpeg a camera",
  "GStreamer",
  "nginx",
  "the floor",
  "the batched floor",
] as const;
export type Program = (typeof PROGRAMS)[number];

export interface BenchOptions {
  /** Shorter runs, for a look; the figures are rougher. */
  readonly quick: boolean;
  /** Of the routes those alone whose name has this; undefined: all. For `hold`. */
  readonly only?: string | undefined;
}

/** A bench: a name for the command line, and its figures as they are measured. */
export interface Bench {
  readonly name: string;
  readonly about: string;
  run(options: BenchOptions): AsyncIterable<Figure>;
}

/** Whether a figure is as wanted; undefined where nothing is wanted of it. */
export function isMet(figure: Figure): boolean | undefined {
  if (figure.wanted === undefined) return undefined;
  return "atMost" in figure.wanted
    ? figure.value <= figure.wanted.atMost
    : figure.value >= figure.wanted.atLeast;
}

/** nvrd beside its peers: a line for each work, a column for each program, in Markdown. Empty where there is nothing to compare. */
export function programTable(figures: readonly Figure[]): string {
  const works = new Map<string, Map<Program, string>>();
  for (const { cell, value } of figures) {
    if (cell === undefined) continue;
    const row = works.get(cell.work) ?? new Map<Program, string>();
    works.set(cell.work, row.set(cell.program, digits(value)));
  }
  if (works.size === 0) return "";
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rows = [...works].map(([work, row]) => line([work, ...PROGRAMS.map((name) => row.get(name) ?? "–")]));
  return [line(["Work", ...PROGRAMS]), line(["---", ...PROGRAMS.map(() => "---")]), ...rows].join("\n");
}

/** The figures as a table for a terminal. */
export function figureTable(figures: readonly Figure[]): string {
  const rows = [["figure", "value", "wanted", "", "peer or condition"], ...figures.map(rowOf)];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 1 || column === 2 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  return rows.map(line).join("\n");
}

function rowOf(figure: Figure): string[] {
  const met = isMet(figure);
  const verdict = met === undefined ? "" : met ? "met" : "MISSED";
  return [
    figure.name,
    `${digits(figure.value)} ${figure.unit}`,
    wantedText(figure),
    verdict,
    figure.peer ?? "",
  ];
}

function wantedText({ wanted, unit }: Figure): string {
  if (wanted === undefined) return "";
  return "atMost" in wanted ? `<= ${digits(wanted.atMost)} ${unit}` : `>= ${digits(wanted.atLeast)} ${unit}`;
}

function digits(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const magnitude = Math.abs(value);
  return magnitude >= 100 ? value.toFixed(0) : magnitude >= 10 ? value.toFixed(1) : value.toPrecision(3);
}

/** The value below which `share` of `values` lie (nearest rank); NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
