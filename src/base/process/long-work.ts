/** Work that takes less of the main thread at once is not noted, in milliseconds. */
const LONG_WORK_MS = 20;
/** Kinds of work that are distinguished; all other work is one kind. */
const KINDS_MAX = 16;
const OTHER = "other work";

const noted = new Map<string, number>();
const answered = new Map<string, number>();

/** Notes what the main thread did for `ms` without a break, in words for the log, which explain a hold. */
export function noteWork(what: string, ms: number): void {
  if (ms >= LONG_WORK_MS) addTo(noted, what, ms);
}

/**
 * Notes what ended `ms` after its begin with waits between: what it did after them is not known apart from what others did
 * meanwhile. Where nothing else explains a hold, this may.
 */
export function noteWait(what: string, ms: number): void {
  if (ms >= LONG_WORK_MS) addTo(answered, what, ms);
}

function addTo(kinds: Map<string, number>, what: string, ms: number): void {
  const kind = kinds.has(what) || kinds.size < KINDS_MAX ? what : OTHER;
  kinds.set(kind, (kinds.get(kind) ?? 0) + ms);
}

/** What the main thread did since the last call, or what ended after waits, and how long it took. */
export interface LongWork {
  /** The longest first. */
  readonly work: readonly (readonly [what: string, ms: number])[];
  readonly waits: readonly (readonly [what: string, ms: number])[];
}

export function takeLongWork(): LongWork {
  return { work: taken(noted), waits: taken(answered) };
}

function taken(kinds: Map<string, number>): readonly (readonly [what: string, ms: number])[] {
  const all = [...kinds].sort(([, one], [, other]) => other - one);
  kinds.clear();
  return all;
}
