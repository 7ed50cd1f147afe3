import { type Guid, SEEN_KINDS } from "../base/index.js";
import {
  FINDING_DIRECTIONS,
  FINDING_SOURCES,
  FINDING_ZONES_MAX,
  type Finding,
  type FindingBox,
  findingId,
} from "./finding.js";

/** Bytes of a row: what a search looks at, and a list shows. */
export const ROW_BYTES = 72;
/** Findings of a channel in a day; further ones are left out. */
export const ROWS_MAX = 20_000;
/** Different words of a channel in a day; further ones read as none. */
const WORDS_MAX = 65_535;
const ROWS_FIRST = 16;

/*
 * A row, in the order of the machine: numbers of 8 bytes first.
 *   f64 begin, f64 where its line is in the file
 *   u32 seen after the begin in ms, u32 best picture after the begin in ms, u32 bytes of its line
 *   u16 score, strength, box x 4, size; u16 words: label, source, line, text; u16 words: zones x 8
 *   u8 kind, source, direction, flags
 */
const F64 = ROW_BYTES / 8;
const U32 = ROW_BYTES / 4;
const U16 = ROW_BYTES / 2;
const AT = { begin: 0, offset: 1, seen: 4, best: 5, bytes: 6 } as const;
const AT16 = {
  score: 14,
  strength: 15,
  box: 16,
  label: 20,
  name: 21,
  line: 22,
  text: 23,
  zones: 24,
} as const;
const AT8 = { kind: 64, source: 65, direction: 66, flags: 67 } as const;
/** The first place and the one behind the last. */
const PLACES: Readonly<Record<WordPlaces, readonly [number, number]>> = {
  any: [AT16.label, AT16.zones + FINDING_ZONES_MAX],
  label: [AT16.label, AT16.name],
  line: [AT16.line, AT16.text],
  text: [AT16.text, AT16.zones],
  zone: [AT16.zones, AT16.zones + FINDING_ZONES_MAX],
};
const FLAG = { lasting: 1, best: 2, box: 4, score: 8, strength: 16 } as const;
const PART = 65_535;
const MS_MAX = 0xffff_ffff;

const KIND_NUMBER: ReadonlyMap<string, number> = new Map(SEEN_KINDS.map((kind, at) => [kind, at]));

/** Where the line of a finding is in its file; 0 bytes: it is not written yet. */
export interface LinePlace {
  readonly offset: number;
  readonly bytes: number;
}

/** What a search looks for in a row; empty sets and undefined: anything. */
export interface RowFilter {
  readonly kinds: ReadonlySet<number> | undefined;
  /** What crossed a line fits too, whatever kind it is. */
  readonly crossed: boolean;
  /** As rows have it. */
  readonly direction: number | undefined;
  readonly sources: ReadonlySet<number> | undefined;
  readonly sizeMin: number;
  readonly scoreMin: number;
  readonly region: FindingBox | undefined;
  /** Of each group the row has a kind, or one of the words in one of its places. */
  readonly groups: readonly WordGroup[];
}

export interface WordGroup {
  readonly kinds: ReadonlySet<number>;
  /** What crossed a line fits too. */
  readonly crossed: boolean;
  readonly words: ReadonlySet<number>;
  readonly places: WordPlaces;
}

export type WordPlaces = "any" | "label" | "line" | "text" | "zone";

export interface RowsHeader {
  readonly words: readonly string[];
  readonly rows: number;
}

/** The findings of a channel and day, packed, in the order of their begins. */
export class FindingRows {
  readonly channelId: Guid;
  readonly words: string[] = [""];
  readonly #wordAt = new Map<string, number>([["", 0]]);
  #count = 0;
  #bytes!: Uint8Array;
  #f64!: Float64Array;
  #u32!: Uint32Array;
  #u16!: Uint16Array;

  constructor(channelId: Guid) {
    this.channelId = channelId;
    this.#use(new Uint8Array(ROWS_FIRST * ROW_BYTES));
  }

  /** From what `words` and `packed` gave. The memory must begin at a multiple of 8. */
  static of(channelId: Guid, { words, rows }: RowsHeader, bytes: Uint8Array): FindingRows {
    const made = new FindingRows(channelId);
    made.words.length = 0;
    for (const word of words) made.#wordAt.set(word, made.words.push(word) - 1);
    made.#use(bytes);
    made.#count = rows;
    return made;
  }

  get count(): number {
    return this.#count;
  }

  packed(): Uint8Array {
    return this.#bytes.subarray(0, this.#count * ROW_BYTES);
  }

  begin(row: number): number {
    return this.#f64[row * F64 + AT.begin] ?? 0;
  }

  seen(row: number): number {
    return this.begin(row) + (this.#u32[row * U32 + AT.seen] ?? 0) * 1000;
  }

  isLasting(row: number): boolean {
    return this.#hasFlag(row, FLAG.lasting);
  }

  place(row: number): LinePlace {
    return { offset: this.#f64[row * F64 + AT.offset] ?? 0, bytes: this.#u32[row * U32 + AT.bytes] ?? 0 };
  }

  /** The row of this begin; undefined: there is none. */
  rowOf(beginUs: number): number | undefined {
    const row = this.firstAfter(beginUs - 1);
    return row < this.#count && this.begin(row) === beginUs ? row : undefined;
  }

  /** The first row that begins after this moment; `count`: none does. */
  firstAfter(timeUs: number): number {
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.begin(middle) > timeUs) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Enters a finding, or replaces what it was. False: the day is full. `place`: undefined leaves it as it is. */
  put(finding: Finding, place?: LinePlace): boolean {
    const known = this.rowOf(finding.beginUs);
    if (known === undefined && this.#count >= ROWS_MAX) return false;
    const row = known ?? this.#insert(finding.beginUs);
    const before = known === undefined ? { offset: 0, bytes: 0 } : this.place(row);
    const { offset, bytes } = place ?? before;
    this.#write(row, finding);
    this.#f64[row * F64 + AT.offset] = offset;
    this.#u32[row * U32 + AT.bytes] = bytes;
    return true;
  }

  /** Takes a row out: those behind it have other numbers then. */
  remove(row: number): void {
    this.#bytes.copyWithin(row * ROW_BYTES, (row + 1) * ROW_BYTES, this.#count * ROW_BYTES);
    this.#count -= 1;
  }

  /** The finding of a row, without its path. */
  finding(row: number): Finding {
    const { channelId } = this;
    const beginUs = this.begin(row);
    const u8 = (at: number): number => this.#bytes[row * ROW_BYTES + at] ?? 0;
    const word = (at: number): string => this.words[this.#short(row, at)] ?? "";
    const zones = Array.from({ length: FINDING_ZONES_MAX }, (_, at) => word(AT16.zones + at));
    const bestUs = beginUs + (this.#u32[row * U32 + AT.best] ?? 0) * 1000;
    const direction = u8(AT8.direction);
    return {
      ...{ id: findingId(channelId, beginUs), channelId, beginUs, seenUs: this.seen(row), path: [] },
      kind: SEEN_KINDS[u8(AT8.kind)] ?? "other",
      source: FINDING_SOURCES[u8(AT8.source)] ?? "camera",
      label: word(AT16.label),
      sourceName: word(AT16.name),
      line: word(AT16.line),
      text: word(AT16.text),
      zones: zones.filter((zone) => zone !== ""),
      isLasting: this.isLasting(row),
      score: this.#hasFlag(row, FLAG.score) ? this.#part(row, AT16.score) : undefined,
      strength: this.#hasFlag(row, FLAG.strength) ? this.#part(row, AT16.strength) : undefined,
      direction: direction === 0 ? undefined : FINDING_DIRECTIONS[direction - 1],
      best: this.#hasFlag(row, FLAG.best) ? { timeUs: bestUs, box: this.#box(row) } : undefined,
    };
  }

  /** Whether a search looks for the row. */
  matches(row: number, filter: RowFilter): boolean {
    const at8 = row * ROW_BYTES;
    const kind = this.#bytes[at8 + AT8.kind] ?? 0;
    const hasCrossed = this.#short(row, AT16.line) !== 0;
    if (filter.kinds?.has(kind) === false && !(filter.crossed && hasCrossed)) return false;
    if (filter.direction !== undefined && this.#bytes[at8 + AT8.direction] !== filter.direction) return false;
    if (filter.sources?.has(this.#bytes[at8 + AT8.source] ?? 0) === false) return false;
    if (filter.scoreMin > 0 && this.#part(row, AT16.score) < filter.scoreMin) return false;
    if (filter.sizeMin > 0 && this.#size(row) < filter.sizeMin) return false;
    if (filter.region !== undefined && !this.#touches(row, filter.region)) return false;
    for (const group of filter.groups) {
      const isOfKind = group.kinds.has(kind) || (group.crossed && hasCrossed);
      if (!isOfKind && !this.#hasWord(row, group)) return false;
    }
    return true;
  }

  #hasWord(row: number, { words, places }: WordGroup): boolean {
    if (words.size === 0) return false;
    const [first, behind] = PLACES[places];
    for (let at = first; at < behind; at++) {
      const word = this.#short(row, at);
      if (word !== 0 && words.has(word)) return true;
    }
    return false;
  }

  #size(row: number): number {
    return this.#part(row, AT16.box + 2) * this.#part(row, AT16.box + 3);
  }

  #touches(row: number, { left, top, width, height }: FindingBox): boolean {
    if (!this.#hasFlag(row, FLAG.box)) return false;
    const [x, y] = [this.#part(row, AT16.box), this.#part(row, AT16.box + 1)];
    const [w, h] = [this.#part(row, AT16.box + 2), this.#part(row, AT16.box + 3)];
    return x < left + width && x + w > left && y < top + height && y + h > top;
  }

  #box(row: number): FindingBox | undefined {
    if (!this.#hasFlag(row, FLAG.box)) return undefined;
    const [left, top] = [this.#part(row, AT16.box), this.#part(row, AT16.box + 1)];
    return { left, top, width: this.#part(row, AT16.box + 2), height: this.#part(row, AT16.box + 3) };
  }

  #write(row: number, finding: Finding): void {
    const { beginUs, seenUs, kind, source, direction, best, score, strength, zones } = finding;
    const box = best?.box;
    this.#f64[row * F64 + AT.begin] = beginUs;
    this.#u32[row * U32 + AT.seen] = milliseconds(seenUs - beginUs);
    this.#u32[row * U32 + AT.best] = milliseconds((best?.timeUs ?? beginUs) - beginUs);
    const put16 = (at: number, value: number): void => {
      this.#u16[row * U16 + at] = value;
    };
    put16(AT16.score, Math.round((score ?? 0) * PART));
    put16(AT16.strength, Math.round((strength ?? 0) * PART));
    const sides = [box?.left, box?.top, box?.width, box?.height];
    for (const [at, side] of sides.entries()) put16(AT16.box + at, Math.round((side ?? 0) * PART));
    put16(AT16.label, this.#wordNumber(finding.label));
    put16(AT16.name, this.#wordNumber(finding.sourceName));
    put16(AT16.line, this.#wordNumber(finding.line));
    put16(AT16.text, this.#wordNumber(finding.text));
    for (let at = 0; at < FINDING_ZONES_MAX; at++) put16(AT16.zones + at, this.#wordNumber(zones[at] ?? ""));
    const at8 = row * ROW_BYTES;
    this.#bytes[at8 + AT8.kind] = KIND_NUMBER.get(kind) ?? 0;
    this.#bytes[at8 + AT8.source] = FINDING_SOURCES.indexOf(source);
    this.#bytes[at8 + AT8.direction] =
      direction === undefined ? 0 : FINDING_DIRECTIONS.indexOf(direction) + 1;
    this.#bytes[at8 + AT8.flags] = flagsOf(finding);
  }

  #wordNumber(word: string): number {
    const known = this.#wordAt.get(word);
    if (known !== undefined) return known;
    if (this.words.length >= WORDS_MAX) return 0;
    const number = this.words.push(word) - 1;
    this.#wordAt.set(word, number);
    return number;
  }

  /** Makes room for a row of this begin, and says which it is. */
  #insert(beginUs: number): number {
    if ((this.#count + 1) * ROW_BYTES > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(ROWS_FIRST, this.#count * 2) * ROW_BYTES);
      larger.set(this.packed());
      this.#use(larger);
    }
    const row = this.firstAfter(beginUs);
    this.#bytes.copyWithin((row + 1) * ROW_BYTES, row * ROW_BYTES, this.#count * ROW_BYTES);
    this.#count += 1;
    return row;
  }

  #use(bytes: Uint8Array): void {
    this.#bytes = bytes;
    const { buffer, byteOffset } = bytes;
    const rows = Math.floor(bytes.length / ROW_BYTES);
    this.#f64 = new Float64Array(buffer, byteOffset, rows * F64);
    this.#u32 = new Uint32Array(buffer, byteOffset, rows * U32);
    this.#u16 = new Uint16Array(buffer, byteOffset, rows * U16);
  }

  #short(row: number, at: number): number {
    return this.#u16[row * U16 + at] ?? 0;
  }

  #part(row: number, at: number): number {
    return this.#short(row, at) / PART;
  }

  #hasFlag(row: number, flag: number): boolean {
    return ((this.#bytes[row * ROW_BYTES + AT8.flags] ?? 0) & flag) !== 0;
  }
}

function flagsOf({ isLasting, best, score, strength }: Finding): number {
  return (
    (isLasting ? FLAG.lasting : 0) |
    (best === undefined ? 0 : FLAG.best) |
    (best?.box === undefined ? 0 : FLAG.box) |
    (score === undefined ? 0 : FLAG.score) |
    (strength === undefined ? 0 : FLAG.strength)
  );
}

function milliseconds(us: number): number {
  return Math.min(MS_MAX, Math.max(0, Math.round(us / 1000)));
}

/** The numbers that rows have for kinds. */
export function kindNumber(kind: string): number {
  return KIND_NUMBER.get(kind) ?? -1;
}
