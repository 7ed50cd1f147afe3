/** Problems named in a report; further ones are only counted. */
const PROBLEMS_NAMED_MAX = 1000;
/** Files that are not nvrd's named in a report; further ones are only counted. */
export const STRANGERS_NAMED_MAX = 100;

/** What a check can find wrong (docs/ref/check.md). */
export const PROBLEM_KINDS = [
  /** A segment file that cannot be read whole (deep: or whose frames are not as its footer says). */
  "file-unreadable",
  /** A segment whose footer is damaged or missing; its frames are there. */
  "file-unclosed",
  /** A segment of a newer format. */
  "file-newer",
  /** A segment in the directory of another day or stream, or with another's name. */
  "file-misplaced",
  /** A segment that is there twice, on two volumes. */
  "file-twice",
  /** A whole segment file the index does not know. */
  "file-unindexed",
  /** Record and file say different things. */
  "record-differs",
  /** A record whose file is not there. */
  "record-without-file",
  /** A record that cannot be read. */
  "record-unreadable",
  /** A record of a file that is noted for removal. */
  "record-leaving",
  /** Records of a volume that is not among those checked. */
  "volume-absent",
  /** A volume that could not be read, or is left out. */
  "volume-failed",
  /** The index was missing or damaged, and it is not yet complete again. */
  "index-lost",
  /** Segments of one stream and epoch that overlap. */
  "overlap",
  /** A hole or a repetition in the numbers of a fragment's segments. */
  "sequence",
  /** Fragments that are not the union of their segments. */
  "fragments",
  /** One fragment id in two streams. */
  "fragment-id",
  /** Epochs that are out of order, or newer than the archive knows. */
  "epoch",
  /** Totals that are not the sum of the segments. */
  "totals",
  /** The list of protected times is damaged. */
  "protected",
] as const;

export type ProblemKind = (typeof PROBLEM_KINDS)[number];

interface Problem {
  readonly kind: ProblemKind;
  /** The file, stream or volume it is about. */
  readonly subject: string;
  readonly detail: string;
  readonly repaired: boolean;
}

export interface CheckCounts {
  readonly files: number;
  readonly records: number;
  readonly fragments: number;
  /** Files that wait to be unlinked, or were removed while the check ran. */
  readonly leaving: number;
  /** Files that are not nvrd's; they are left alone. */
  readonly strangers: number;
  readonly problems: number;
  readonly repaired: number;
}

export interface CheckReport {
  readonly deep: boolean;
  /** False when segments came or went while the check ran, so that totals could not be compared. */
  readonly totalsCompared: boolean;
  readonly counts: CheckCounts;
  /** The first `PROBLEMS_NAMED_MAX` of them. */
  readonly problems: readonly Problem[];
  /** The first `STRANGERS_NAMED_MAX` files that are none of nvrd's. */
  readonly strangers: readonly string[];
}

/** Exit status of `nvrd check`: 0 when index and segments agree, or agree after the repair; 1 when a problem is left. */
export function checkExitStatus(report: CheckReport): 0 | 1 {
  return report.counts.problems === report.counts.repaired ? 0 : 1;
}

/** The report as text. */
export function checkReportText(report: CheckReport): string {
  const { counts } = report;
  const lines = report.problems.map(
    ({ kind, subject, detail, repaired }) => `${repaired ? "repaired " : ""}${kind} ${subject}: ${detail}`,
  );
  const unnamed = counts.problems - report.problems.length;
  if (unnamed > 0) lines.push(`and ${unnamed} more`);
  for (const path of report.strangers) lines.push(`not of nvrd: ${path}`);
  const unnamedStrangers = counts.strangers - report.strangers.length;
  if (unnamedStrangers > 0) lines.push(`and ${unnamedStrangers} more that are not of nvrd`);
  lines.push(
    `${counts.files} files${report.deep ? ", every frame read" : ""}, ${counts.records} records, ` +
      `${counts.fragments} fragments, ${counts.leaving} files on their way out`,
  );
  if (!report.totalsCompared) lines.push("totals not compared: the archive changed meanwhile");
  lines.push(
    counts.problems === 0
      ? "index and segments agree"
      : `${counts.problems} problems, ${counts.repaired} of them repaired`,
  );
  return `${lines.join("\n")}\n`;
}

/** Gathers problems up to their bound. */
export class ProblemList {
  readonly problems: Problem[] = [];
  #count = 0;
  #repaired = 0;

  add(problem: Problem): void {
    this.#count += 1;
    if (problem.repaired) this.#repaired += 1;
    if (this.problems.length < PROBLEMS_NAMED_MAX) this.problems.push(problem);
  }

  get count(): number {
    return this.#count;
  }

  get repaired(): number {
    return this.#repaired;
  }
}
