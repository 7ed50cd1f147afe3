/** A gap of one camera, as the service reports it. Unix milliseconds. */
export interface ReportedGap {
  readonly channel: string;
  readonly reason: string;
  readonly from: number;
  readonly to: number;
}

/** One thing to say: a gap that some of the cameras share. */
export interface GapNotice {
  readonly channels: readonly string[];
  readonly reason: string;
  /** Where the first of them has recordings again, in the direction of the playback. */
  readonly goesOnAt: number;
}

/** The service reports one gap camera by camera; those of all cameras come within this time. */
const TOGETHER_MS = 200;
/** No two cameras are lost and found in the same moment: ends so close together are of one gap. */
const SAME_END_MS = 10_000;
/** Gaps that were said and are remembered: the oldest is forgotten first. */
const SAID_MAX = 200;

/** Says each gap of a playback once, however many cameras have it and however often the service reports it. */
export class GapNotices {
  #waiting: ReportedGap[] = [];
  #waitsSinceMs = 0;
  #said: ReportedGap[] = [];

  /** `nowMs`: a clock that never jumps. */
  add(gap: ReportedGap, nowMs: number): void {
    if ([...this.#said, ...this.#waiting].some((known) => isRepeated(known, gap))) return;
    if (this.#waiting.length === 0) this.#waitsSinceMs = nowMs;
    this.#waiting.push(gap);
  }

  /** What is to be said now. `direction`: the playback's. */
  due(direction: 1 | -1, nowMs: number): readonly GapNotice[] {
    if (this.#waiting.length === 0 || nowMs - this.#waitsSinceMs < TOGETHER_MS) return [];
    const gaps = this.#waiting.filter((gap) => !this.#said.some((said) => isSame(said, gap, direction)));
    this.#said = [...this.#said, ...this.#waiting].slice(-SAID_MAX);
    this.#waiting = [];
    const groups: ReportedGap[][] = [];
    for (const gap of gaps) {
      const group = groups.find(([first]) => first !== undefined && isSame(first, gap, direction));
      if (group === undefined) groups.push([gap]);
      else group.push(gap);
    }
    return groups.map((group) => noticeOf(group, direction));
  }

  /** The playback is somewhere else: a gap there is said again. */
  forget(): void {
    this.#waiting = [];
    this.#said = [];
  }
}

/** The same camera's gap, reported again: its end may have moved on with the time. */
function isRepeated(known: ReportedGap, gap: ReportedGap): boolean {
  return known.channel === gap.channel && known.from < gap.to && gap.from < known.to;
}

function isSame(one: ReportedGap, other: ReportedGap, direction: 1 | -1): boolean {
  const areApart = one.to <= other.from || other.to <= one.from;
  const ends = direction > 0 ? [one.to, other.to] : [one.from, other.from];
  return one.reason === other.reason && !areApart && Math.abs((ends[0] ?? 0) - (ends[1] ?? 0)) <= SAME_END_MS;
}

function noticeOf(group: readonly ReportedGap[], direction: 1 | -1): GapNotice {
  return {
    channels: group.map(({ channel }) => channel),
    reason: group[0]?.reason ?? "unknown",
    goesOnAt:
      direction > 0 ? Math.min(...group.map(({ to }) => to)) : Math.max(...group.map(({ from }) => from)),
  };
}
