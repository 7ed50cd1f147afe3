import { type Guid, guidToBytes } from "../../base/index.js";
import {
  EPOCH_MAX,
  type FragmentPosition,
  fragmentKey,
  readFragmentKey,
  readUInt53BE,
  TIME_US_MAX,
  writeUInt53BE,
} from "./index-keys.js";
import type { IndexTable, TableEntry } from "./index-table.js";

/**
 * Segments of one fragment that follow each other without a hole on one volume. A fragment that lost a middle segment, or
 * continued on another volume, is two runs of one id.
 */
export interface Run {
  readonly stream: number;
  readonly epoch: number;
  readonly fromUs: number;
  readonly toUs: number;
  readonly id: Guid;
  /** Number of the volume: retention finds a volume's oldest without passing the segments of the others. */
  readonly volume: number;
}

/** The part of a segment that its run is made of. */
export type Span = Run;

/** Runs that follow each other in one fragment, whatever volumes they are on. */
export type Stretch = Omit<Run, "volume">;

/** End of a tail in its row: its real end is that of its newest segment. */
const TAIL_MARK = 0;
const ID_BYTES = 16;
const VOLUME_AT = 24;
const ROW_BYTES = 28;

/**
 * The fragments of all streams. A stream's newest run is its tail: its end is kept in memory only, so that a segment
 * that continues a fragment changes no row; the row gets its end when a newer run begins. Only a stream's last row
 * carries the tail mark.
 */
export class FragmentTable {
  readonly #table: IndexTable;
  readonly #tails = new Map<number, Run>();
  /** The run that was found last: who reads a recording asks for the same one at each segment. Forgotten with each change. */
  #found: Run | undefined;

  constructor(table: IndexTable) {
    this.#table = table;
  }

  /** Opens the stream's tail, if its last row is one. `endOf` finds the end of the tail's newest segment. */
  loadTail(stream: number, generation: number, endOf: (row: Run) => number | undefined): void {
    const entry = this.#table.last(lowestKey(stream), highestKey(stream));
    if (entry === undefined || readUInt53BE(entry.value, ID_BYTES) !== TAIL_MARK) return;
    const id = readId(entry.value);
    const volume = entry.value.readUInt32BE(VOLUME_AT);
    const row = { ...readFragmentKey(entry.key), toUs: TAIL_MARK, id, volume };
    const toUs = endOf(row);
    this.#found = undefined;
    if (toUs === undefined) this.#table.delete(entry.key, generation);
    else this.#tails.set(stream, { ...row, toUs });
  }

  /** The stream's run of an epoch that starts at or last before `fromUs`. */
  floor(at: FragmentPosition): Run | undefined {
    const { stream, epoch, fromUs } = at;
    const known = this.#found;
    if (known?.stream === stream && known.epoch === epoch && known.fromUs <= fromUs && fromUs < known.toUs)
      return known;
    const low = fragmentKey({ stream, epoch, fromUs: 0 });
    this.#found = this.#run(this.#table.last(low, fragmentKey(at)));
    return this.#found;
  }

  /** The stream's next run behind `(epoch, fromUs)` in recorded order, of this epoch or a later one. */
  after(at: FragmentPosition): Run | undefined {
    const low = Buffer.concat([fragmentKey(at), Buffer.alloc(1)]);
    return this.#run(this.#table.first(low, highestKey(at.stream)));
  }

  /** The stream's newest run. */
  newestOf(stream: number): Run | undefined {
    return this.#tails.get(stream) ?? this.#run(this.#table.last(lowestKey(stream), highestKey(stream)));
  }

  /** The run that starts exactly there. */
  at(at: FragmentPosition): Run | undefined {
    const key = fragmentKey(at);
    const value = this.#table.get(key);
    return value === undefined ? undefined : this.#run({ key, value });
  }

  /** The stream's epochs, newest first. */
  *epochs(stream: number): Generator<number> {
    // The tail is the stream's last run: its epoch need not be looked up.
    const tail = this.#tails.get(stream);
    if (tail !== undefined) yield tail.epoch;
    if (tail?.epoch === 0) return;
    let high =
      tail === undefined
        ? highestKey(stream)
        : fragmentKey({ stream, epoch: tail.epoch - 1, fromUs: TIME_US_MAX });
    for (;;) {
      const entry = this.#table.last(lowestKey(stream), high);
      if (entry === undefined) return;
      const { epoch } = readFragmentKey(entry.key);
      yield epoch;
      if (epoch === 0) return;
      high = fragmentKey({ stream, epoch: epoch - 1, fromUs: TIME_US_MAX });
    }
  }

  /** The stretches of the stream that overlap `[fromUs, toUs)`, not cut to it, by epoch (newest first), then time. */
  overlapping(stream: number, fromUs: number, toUs: number): Stretch[] {
    const stretches: Stretch[] = [];
    if (toUs <= fromUs) return stretches;
    for (const epoch of this.epochs(stream)) {
      const startUs = this.floor({ stream, epoch, fromUs })?.fromUs ?? fromUs;
      const low = fragmentKey({ stream, epoch, fromUs: startUs });
      const high = fragmentKey({ stream, epoch, fromUs: toUs - 1 });
      const first = stretches.length;
      this.#table.visit(low, high, (key, value) => {
        const run = this.#readRun(key, value);
        if (run !== undefined && run.toUs > fromUs) appendJoined(stretches, run, first);
      });
      this.#widen(stretches, first);
    }
    return stretches;
  }

  /** Where the stretch that `run` belongs to starts. */
  startOf(run: Stretch): number {
    let startUs = run.fromUs;
    while (startUs > 0) {
      const before = this.floor({ stream: run.stream, epoch: run.epoch, fromUs: startUs - 1 });
      if (before?.id !== run.id || before.toUs !== startUs) break;
      startUs = before.fromUs;
    }
    return startUs;
  }

  /** The stream's first run on a volume that ends behind `(epoch, fromUs)`, in recorded order. */
  firstOn(volume: number, at: FragmentPosition): Run | undefined {
    const start = this.floor(at)?.fromUs ?? at.fromUs;
    for (const entry of this.#table.scan(fragmentKey({ ...at, fromUs: start }), highestKey(at.stream))) {
      const run = this.#run(entry);
      if (run?.volume !== volume) continue;
      if (run.epoch > at.epoch || run.toUs > at.fromUs) return run;
    }
    return undefined;
  }

  /** The stream's newest run on a volume. */
  newestOn(volume: number, stream: number): Run | undefined {
    for (const entry of this.#table.scan(lowestKey(stream), highestKey(stream), { reverse: true })) {
      const run = this.#run(entry);
      if (run?.volume === volume) return run;
    }
    return undefined;
  }

  /** Adds what lies outside of the interval to the first and the last stretch of an epoch. */
  #widen(stretches: Stretch[], first: number): void {
    const head = stretches[first];
    if (head === undefined) return;
    stretches[first] = { ...head, fromUs: this.startOf(head) };
    let last = stretches.at(-1);
    while (last !== undefined) {
      const behind: Run | undefined = this.at({ ...last, fromUs: last.toUs });
      if (behind?.id !== last.id) return;
      last = { ...last, toUs: behind.toUs };
      stretches[stretches.length - 1] = last;
    }
  }

  /** The stream's runs in recorded order. */
  *ofStream(stream: number): Generator<Run> {
    for (const entry of this.#table.scan(lowestKey(stream), highestKey(stream))) {
      const run = this.#run(entry);
      if (run !== undefined) yield run;
    }
  }

  *all(): Generator<Run> {
    for (const entry of this.#table.all()) {
      const run = this.#run(entry);
      if (run !== undefined) yield run;
    }
  }

  /** Adds a segment's span: it continues the run before it, joins the one behind it, or is a run of its own. */
  add(span: Span, generation: number): void {
    const before = this.floor(span);
    const behind = this.at({ ...span, fromUs: span.toUs });
    const joinsBefore = before !== undefined && continues(before, span);
    const joinsBehind = behind?.id === span.id && behind.volume === span.volume;
    let run = span;
    if (joinsBefore) run = { ...run, fromUs: before.fromUs };
    else if (before?.fromUs === span.fromUs) {
      run = { ...before, toUs: Math.max(before.toUs, span.toUs) };
    }
    if (joinsBehind) {
      run = { ...run, toUs: behind.toUs };
      this.#delete(behind, generation);
    }
    this.#write(run, generation);
  }

  /** Takes a span out of the run that holds it; false when no run does. */
  remove(span: Span, generation: number): boolean {
    const run = this.floor(span);
    if (run === undefined || run.id !== span.id || span.toUs > run.toUs) return false;
    this.#delete(run, generation);
    if (run.fromUs < span.fromUs) this.#write({ ...run, toUs: span.fromUs }, generation);
    if (span.toUs < run.toUs) this.#write({ ...run, fromUs: span.toUs }, generation);
    return true;
  }

  /** Forgets all runs of a stream. */
  clear(stream: number, generation: number): void {
    const keys = [...this.#table.scan(lowestKey(stream), highestKey(stream))].map((entry) => entry.key);
    for (const key of keys) this.#table.delete(key, generation);
    this.#tails.delete(stream);
    this.#found = undefined;
  }

  #write(run: Run, generation: number): void {
    this.#found = undefined;
    const tail = this.#tails.get(run.stream);
    if (tail !== undefined && comparePositions(run, tail) === 0) {
      this.#tails.set(run.stream, run);
      return;
    }
    if (this.#isLast(run, tail)) {
      if (tail !== undefined) this.#put(tail, tail.toUs, generation);
      this.#tails.set(run.stream, run);
      this.#put(run, TAIL_MARK, generation);
      return;
    }
    this.#put(run, run.toUs, generation);
  }

  #isLast(run: Run, tail: Run | undefined): boolean {
    if (tail !== undefined) return comparePositions(run, tail) > 0;
    return this.after(run) === undefined;
  }

  #put(run: Run, toUs: number, generation: number): void {
    const value = Buffer.alloc(ROW_BYTES);
    value.set(guidToBytes(run.id));
    writeUInt53BE(value, toUs, ID_BYTES);
    value.writeUInt32BE(run.volume, VOLUME_AT);
    this.#table.put(fragmentKey(run), value, generation);
  }

  #delete(run: Run, generation: number): void {
    this.#found = undefined;
    const tail = this.#tails.get(run.stream);
    if (tail !== undefined && comparePositions(run, tail) === 0) this.#tails.delete(run.stream);
    this.#table.delete(fragmentKey(run), generation);
  }

  #run(entry: TableEntry | undefined): Run | undefined {
    return entry === undefined ? undefined : this.#readRun(entry.key, entry.value);
  }

  /** A month of motion is thousands of rows in one answer, so a row is read without a copy or a detour. */
  #readRun(key: Buffer, value: Buffer): Run | undefined {
    const stream = key.readUInt32BE(0);
    const toUs = readUInt53BE(value, ID_BYTES);
    if (toUs === TAIL_MARK) return this.#tails.get(stream);
    const volume = value.readUInt32BE(VOLUME_AT);
    return {
      stream,
      epoch: key.readUInt32BE(4),
      fromUs: readUInt53BE(key, 8),
      toUs,
      id: readId(value),
      volume,
    };
  }
}

const HEX_DIGITS = Buffer.from("0123456789abcdef");
const DASH = 0x2d;
const guidText = Buffer.alloc(36, DASH);

/** The GUID at the head of a row, written into one flat string: concatenated slices would be a dozen objects. */
function readId(row: Buffer): Guid {
  let at = 0;
  for (let position = 0; position < ID_BYTES; position++) {
    if (position === 4 || position === 6 || position === 8 || position === 10) at += 1;
    const byte = row[position] ?? 0;
    guidText[at++] = HEX_DIGITS[byte >> 4] ?? 0;
    guidText[at++] = HEX_DIGITS[byte & 15] ?? 0;
  }
  return guidText.toString("latin1");
}

/** Recorded order of one stream: epoch, then time. */
export function comparePositions(
  a: { readonly epoch: number; readonly fromUs: number },
  b: { readonly epoch: number; readonly fromUs: number },
): number {
  return a.epoch - b.epoch || a.fromUs - b.fromUs;
}

/** Whether `next` makes the run before it longer. */
export function continues(run: Run, next: Run): boolean {
  return (
    run.id === next.id &&
    run.volume === next.volume &&
    run.epoch === next.epoch &&
    run.stream === next.stream &&
    run.toUs === next.fromUs
  );
}

/** Appends a run. If it continues the last stretch, from position `first` on, that stretch is extended instead. */
function appendJoined(stretches: Stretch[], run: Run, first: number): void {
  const last = stretches.length > first ? stretches.at(-1) : undefined;
  const joins = last !== undefined && last.id === run.id && last.toUs === run.fromUs;
  if (joins) stretches[stretches.length - 1] = { ...last, toUs: run.toUs };
  else stretches.push(run);
}

function lowestKey(stream: number): Buffer {
  return fragmentKey({ stream, epoch: 0, fromUs: 0 });
}

function highestKey(stream: number): Buffer {
  return fragmentKey({ stream, epoch: EPOCH_MAX, fromUs: TIME_US_MAX });
}
