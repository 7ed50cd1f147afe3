/** Work that takes less of the main thread at once is not noted, in milliseconds. */
export const LONG_WORK_MS = 20;
/** Kinds of work that are told apart; what else was done is one kind. */
const KINDS_MAX = 16;
const OTHER = "other work";

const noted = new Map<string, number>();

/** Notes what the main thread did for `ms` without a break, in words for the log: who asks why it was held is told. */
export function noteWork(what: string, ms: number): void {
  if (ms < LONG_WORK_MS) return;
  const kind = noted.has(what) || noted.size < KINDS_MAX ? what : OTHER;
  noted.set(kind, (noted.get(kind) ?? 0) + ms);
}

/** What was noted since the last call, the longest first, and how long it took. */
export function takeLongWork(): readonly (readonly [what: string, ms: number])[] {
  const all = [...noted].sort(([, one], [, other]) => other - one);
  noted.clear();
  return all;
}
