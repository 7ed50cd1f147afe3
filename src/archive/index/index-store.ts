import {
  type Guid,
  guidFromBytes,
  guidToBytes,
  STREAM_TYPES,
  type StreamKey,
  type StreamType,
  US_PER_MINUTE,
} from "../../base/index.js";
import type { SegmentFile, SegmentSummary } from "../segment/segment-summary.js";
import type { RecordedDay } from "../segment/types.js";
import { packDay, unpackDay } from "./day-summary.js";
import { comparePositions, continues, FragmentTable, type Run, type Span } from "./fragment-table.js";
import { minuteOf, numberKey, readUnlinkKey, segmentKey, tieOf, unlinkKey } from "./index-keys.js";
import { IndexTable, KEY_HIGHEST, KEY_LOWEST } from "./index-table.js";
import { NameTable } from "./name-table.js";
import { packRecord, SEGMENT_DURATION_MAX_US, type SegmentRecord, unpackRecord } from "./segment-record.js";
import { SegmentTable, type StoredSegment } from "./segment-table.js";
import { NOTHING, type Total, TotalTable } from "./total-table.js";

export const TABLES = [
  "meta",
  "streams",
  "volumes",
  "boots",
  "segments",
  "fragments",
  "dayTotals",
  "volumeTotals",
  "unlinks",
] as const;

export type TableName = (typeof TABLES)[number];
export type IndexTables = Readonly<Record<TableName, IndexTable>>;

/** The index's tables, each created by `make`. */
export function makeTables(make: (name: TableName) => IndexTable): IndexTables {
  return {
    meta: make("meta"),
    streams: make("streams"),
    volumes: make("volumes"),
    boots: make("boots"),
    segments: make("segments"),
    fragments: make("fragments"),
    dayTotals: make("dayTotals"),
    volumeTotals: make("volumeTotals"),
    unlinks: make("unlinks"),
  };
}

/** A store in memory alone: for the time before the index on disk is open. */
export function memoryStore(): IndexStore {
  return new IndexStore(
    makeTables((name) => new IndexTable({ name, base: undefined, onDamage: () => undefined })),
  );
}

/** Most streams ever recorded that one index names. */
export const STREAMS_MAX = 65_536;
export const VOLUMES_MAX = 4096;
/** Boots kept by number; records of later ones carry the boot id itself. */
export const BOOTS_MAX = 4096;

export interface UnlinkedFile {
  readonly volumeId: Guid;
  readonly file: SegmentFile;
}

/** The index's tables, and the changes to each when a segment is added or removed, in one generation. */
export class IndexStore {
  readonly tables: IndexTables;
  readonly segments: SegmentTable;
  readonly fragments: FragmentTable;
  readonly totals: TotalTable;
  readonly #streams: NameTable;
  readonly #volumes: NameTable;
  readonly #boots: NameTable;
  readonly #streamKeys = new Map<number, StreamKey>();
  /** Numbers of channels' streams that were asked for; a number is never given again. */
  readonly #streamNumbers = new Map<Guid, Map<StreamType, number | undefined>>();
  /** Likewise of volumes. */
  readonly #volumeNumbers = new Map<Guid, number>();
  /** Ids by number, of those that were asked for. */
  readonly #volumeIds = new Map<number, Guid>();
  readonly #bootIds = new Map<number, Guid>();
  readonly #oldestMinutes = new Map<number, number>();
  /** Of each stream the newest place that a segment was added at, removed since or not. */
  readonly #newestAdded = new Map<number, { readonly epoch: number; readonly fromUs: number }>();
  #generation = 1;
  #lateSegments = 0;

  constructor(tables: IndexTables) {
    this.tables = tables;
    this.segments = new SegmentTable(tables.segments);
    this.fragments = new FragmentTable(tables.fragments);
    this.totals = new TotalTable(tables.dayTotals, tables.volumeTotals);
    this.#streams = new NameTable(tables.streams, STREAMS_MAX);
    this.#volumes = new NameTable(tables.volumes, VOLUMES_MAX);
    this.#boots = new NameTable(tables.boots, BOOTS_MAX);
    for (const name of this.#streams.names()) this.#openTail(this.#streams.number(name) ?? 0);
  }

  /** Changes made from now on belong to a new generation; returns the one before. */
  nextGeneration(): number {
    return this.#generation++;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Incremented for each segment that was added before the newest of its stream: by recovery, by a rebuild. */
  get lateSegments(): number {
    return this.#lateSegments;
  }

  get changeCount(): number {
    return TABLES.reduce((sum, name) => sum + this.tables[name].changeCount, 0);
  }

  streamNumber(key: StreamKey): number | undefined {
    const ofChannel = this.#streamNumbers.get(key.channelId);
    const known = ofChannel?.get(key.streamType);
    if (known !== undefined) return known;
    // Of a channel of which something is recorded, it is known as well which streams are not.
    if (ofChannel?.has(key.streamType) === true) return undefined;
    const number = this.#streams.number(streamName(key));
    if (ofChannel !== undefined) ofChannel.set(key.streamType, number);
    else if (number !== undefined)
      this.#streamNumbers.set(key.channelId, new Map([[key.streamType, number]]));
    return number;
  }

  #assignStream(key: StreamKey, generation: number): number {
    const number = this.#streams.assign(streamName(key), generation);
    this.#streamNumbers.get(key.channelId)?.set(key.streamType, number);
    return number;
  }

  streamKey(number: number): StreamKey | undefined {
    const known = this.#streamKeys.get(number);
    if (known !== undefined) return known;
    const name = this.#streams.name(number);
    if (name === undefined) return undefined;
    const bytes = Buffer.from(name, "latin1");
    const streamType = STREAM_TYPES[bytes[16] ?? STREAM_TYPES.length];
    if (bytes.length !== 17 || streamType === undefined) return undefined;
    const key = { channelId: guidFromBytes(bytes), streamType };
    this.#streamKeys.set(number, key);
    return key;
  }

  *streamNumbers(): Generator<number> {
    for (const name of this.#streams.names()) yield this.#streams.number(name) ?? 0;
  }

  volumeNumber(id: Guid): number | undefined {
    const known = this.#volumeNumbers.get(id);
    if (known !== undefined) return known;
    const number = this.#volumes.number(guidName(id));
    if (number !== undefined) this.#volumeNumbers.set(id, number);
    return number;
  }

  volumeId(number: number): Guid | undefined {
    return idIn(this.#volumeIds, this.#volumes, number);
  }

  volumeIds(): Guid[] {
    return [...this.#volumes.names()].map((name) => guidFromBytes(Buffer.from(name, "latin1")));
  }

  /** What was kept of a stream's day; undefined where a segment was added to the day or removed from it since. */
  dayTotal(key: StreamKey, day: number): Total {
    const stream = this.streamNumber(key);
    return stream === undefined ? NOTHING : this.totals.ofDay(day, stream);
  }

  keptDay(key: StreamKey, day: number): RecordedDay | undefined {
    const stream = this.streamNumber(key);
    const packed = stream === undefined ? undefined : this.totals.summaryOf(day, stream);
    return packed === undefined ? undefined : unpackDay(day, packed);
  }

  keepDay(key: StreamKey, day: number, recorded: RecordedDay): void {
    const stream = this.streamNumber(key);
    const packed = stream === undefined ? undefined : packDay(day, recorded);
    if (stream !== undefined && packed !== undefined)
      this.totals.keepSummary(day, stream, packed, this.#generation);
  }

  volumeTotal(id: Guid): Total {
    const number = this.volumeNumber(id);
    return number === undefined ? NOTHING : this.totals.ofVolume(number);
  }

  /** Adds a segment. `known`: it was already there. `leaving`: its file is about to be unlinked. */
  add(summary: SegmentSummary): "added" | "known" | "leaving" {
    const generation = this.#generation;
    const stream = this.#assignStream(summary.key, generation);
    const volume = this.#volumes.assign(guidName(summary.volumeId), generation);
    if (this.segments.get(stream, summary) !== undefined) return "known";
    if (this.tables.unlinks.get(unlinkKey(volume, summary)) !== undefined) return "leaving";
    const boot = this.#boots.assignIfRoom(guidName(summary.bootId), generation);
    const key = segmentKey({ stream, fromUs: summary.fromUs, tie: tieOf(summary.segmentId) });
    this.tables.segments.put(key, packRecord(summary, { volume, boot }), generation);
    this.#noteIfLate(stream, summary);
    this.fragments.add(spanOf(stream, volume, summary), generation);
    this.totals.count(summary, { stream, volume }, 1, generation);
    const oldest = this.#oldestMinutes.get(volume);
    if (oldest !== undefined) {
      this.#oldestMinutes.set(volume, Math.min(oldest, minuteOf(summary.fromUs)));
    }
    return "added";
  }

  /** A segment is also late if it precedes a newer one that retention removed meanwhile. */
  #noteIfLate(stream: number, { epoch, fromUs }: SegmentSummary): void {
    const newest = this.#newestAdded.get(stream) ?? this.#lastStored(stream);
    if (newest !== undefined && comparePositions({ epoch, fromUs }, newest) < 0) this.#lateSegments += 1;
    else this.#newestAdded.set(stream, { epoch, fromUs });
  }

  /** The last place that the stream's newest run holds; undefined when nothing of the stream is stored. */
  #lastStored(stream: number): { epoch: number; fromUs: number } | undefined {
    const run = this.fragments.newestOf(stream);
    return run === undefined ? undefined : { epoch: run.epoch, fromUs: Math.max(run.fromUs, run.toUs - 1) };
  }

  /**
   * Removes segments; with `unlink` their files are listed for removal. Returns the removed ones, and how many had no fragment.
   */
  remove(
    summaries: readonly SegmentSummary[],
    options: { readonly unlink: boolean },
  ): { removed: SegmentSummary[]; strays: number } {
    const generation = this.#generation;
    const removed: SegmentSummary[] = [];
    const spans: Span[] = [];
    for (const summary of summaries) {
      const stream = this.streamNumber(summary.key);
      const volume = this.volumeNumber(summary.volumeId);
      if (stream === undefined || volume === undefined) continue;
      if (this.segments.get(stream, summary) === undefined) continue;
      const key = segmentKey({ stream, fromUs: summary.fromUs, tie: tieOf(summary.segmentId) });
      this.tables.segments.delete(key, generation);
      this.totals.count(summary, { stream, volume }, -1, generation);
      if (options.unlink) {
        this.tables.unlinks.put(unlinkKey(volume, summary), numberKey(stream), generation);
      }
      spans.push(spanOf(stream, volume, summary));
      removed.push(summary);
    }
    let strays = 0;
    for (const span of joinSpans(spans)) if (!this.fragments.remove(span, generation)) strays += 1;
    return { removed, strays };
  }

  /** Files listed for removal, of one volume if named. */
  unlinks(limit: number, ofVolume?: Guid): UnlinkedFile[] {
    const files: UnlinkedFile[] = [];
    const only = ofVolume === undefined ? undefined : this.volumeNumber(ofVolume);
    if (ofVolume !== undefined && only === undefined) return files;
    const low = only === undefined ? KEY_LOWEST : numberKey(only);
    const high = only === undefined ? KEY_HIGHEST : numberKey(only + 1);
    for (const { key, value } of this.tables.unlinks.scan(low, high)) {
      if (files.length >= limit) break;
      const { volume, segmentId } = readUnlinkKey(key);
      const volumeId = this.volumeId(volume);
      const streamKey = this.streamKey(value.readUInt32BE(0));
      if (volumeId === undefined || streamKey === undefined) continue;
      files.push({ volumeId, file: { key: streamKey, segmentId } });
    }
    return files;
  }

  isUnlinking({ volumeId, file }: UnlinkedFile): boolean {
    const volume = this.volumeNumber(volumeId);
    return volume !== undefined && this.tables.unlinks.get(unlinkKey(volume, file)) !== undefined;
  }

  unlinked(files: readonly UnlinkedFile[]): void {
    for (const { volumeId, file } of files) {
      const volume = this.volumeNumber(volumeId);
      if (volume !== undefined) this.tables.unlinks.delete(unlinkKey(volume, file), this.#generation);
    }
  }

  /** The oldest segments that `accept` accepts, oldest first, of one volume if named. */
  oldest(
    limit: number,
    volumeId: Guid | undefined,
    accept: (s: SegmentSummary) => boolean,
  ): SegmentSummary[] {
    const volume = volumeId === undefined ? undefined : this.volumeNumber(volumeId);
    const found: SegmentSummary[] = [];
    if ((volumeId !== undefined && volume === undefined) || limit <= 0) return found;
    const fromMinute = volume === undefined ? 0 : (this.#oldestMinutes.get(volume) ?? 0);
    let oldest: number | undefined;
    for (const segment of this.segments.inTime({ fromMinute })) {
      const summary = this.summary(segment);
      if (summary === undefined || (volumeId !== undefined && summary.volumeId !== volumeId)) continue;
      oldest ??= minuteOf(segment.fromUs);
      if (accept(summary)) found.push(summary);
      if (found.length >= limit) break;
    }
    // Where the volume's oldest lies is remembered, so that the next call need not pass the other volumes' older ones.
    if (volume !== undefined && oldest !== undefined) this.#oldestMinutes.set(volume, oldest);
    return found;
  }

  /** The summary of a stored segment, without its GOPs if so asked; undefined when its record cannot be read. */
  summary(segment: StoredSegment, withGops = true): SegmentSummary | undefined {
    const key = this.streamKey(segment.stream);
    if (key === undefined) return undefined;
    const record = tryUnpack(segment, withGops);
    if (record === undefined) return undefined;
    const { volume, boot, ...rest } = record;
    const volumeId = this.volumeId(volume);
    const bootId = typeof boot === "number" ? idIn(this.#bootIds, this.#boots, boot) : boot;
    if (volumeId === undefined || bootId === undefined) return undefined;
    return { ...rest, key, volumeId, bootId };
  }

  find(segment: Pick<SegmentSummary, "key" | "fromUs" | "segmentId">): SegmentSummary | undefined {
    const stream = this.streamNumber(segment.key);
    if (stream === undefined) return undefined;
    const value = this.segments.get(stream, segment);
    if (value === undefined) return undefined;
    const key = segmentKey({ stream, fromUs: segment.fromUs, tie: tieOf(segment.segmentId) });
    return this.summary({ stream, fromUs: segment.fromUs, entry: { key, value } });
  }

  /** Replaces the record of a segment by that of its copy on another volume. False where there is none to be replaced. */
  move(from: SegmentSummary, to: SegmentSummary): boolean {
    if (this.find(from)?.volumeId !== from.volumeId) return false;
    // The file of an earlier copy there is still to be removed: it would take this one with it.
    if (this.isUnlinking({ volumeId: to.volumeId, file: to })) return false;
    this.remove([from], { unlink: false });
    return this.add(to) === "added";
  }

  #openTail(stream: number): void {
    this.fragments.loadTail(stream, this.#generation, (row) => this.#endOfTail(row));
  }

  /**
   * End of the newest segment of a run without holes: such a run has a segment in each stretch as long as the longest
   * segment, so its last one is found by halving.
   */
  #endOfTail(row: Run): number | undefined {
    const step = SEGMENT_DURATION_MAX_US;
    let low = 0;
    let high = Math.ceil((this.#newestUs() - row.fromUs) / step) + 1;
    if (this.#lastOfRun(row, row.fromUs, row.fromUs) === undefined) return undefined;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      const fromUs = row.fromUs + middle * step;
      if (this.#lastOfRun(row, fromUs - step + 1, fromUs) === undefined) high = middle;
      else low = middle;
    }
    const lastUs = row.fromUs + low * step;
    return this.#lastOfRun(row, lastUs - step + 1, lastUs)?.toUs;
  }

  #newestUs(): number {
    return ((this.segments.newestMinute() ?? 0) + 1) * US_PER_MINUTE;
  }

  /** Last segment of the run that starts in `[lowUs, timeUs]`. */
  #lastOfRun(row: Run, lowUs: number, timeUs: number): SegmentSummary | undefined {
    const segment = this.segments.lastFrom({ stream: row.stream, epoch: row.epoch, timeUs }, lowUs);
    const summary = segment === undefined ? undefined : this.summary(segment);
    return summary?.fragmentId === row.id ? summary : undefined;
  }
}

function tryUnpack(segment: StoredSegment, withGops: boolean): SegmentRecord | undefined {
  try {
    return unpackRecord(segment.entry.value, segment.fromUs, withGops);
  } catch (error) {
    // A record with a right checksum that cannot be read: `check` finds and reports it, queries pass over it.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export function spanOf(stream: number, volume: number, summary: SegmentSummary): Span {
  const { epoch, fromUs, toUs, fragmentId } = summary;
  return { stream, epoch, fromUs, toUs, id: fragmentId, volume };
}

/** Spans that follow each other in one fragment as one span, so that removing a batch changes a run once. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const sorted = [...spans].sort(
    (a, b) => a.stream - b.stream || a.epoch - b.epoch || a.fromUs - b.fromUs || a.toUs - b.toUs,
  );
  const joined: Span[] = [];
  for (const span of sorted) {
    const last = joined.at(-1);
    if (last !== undefined && continues(last, span)) joined[joined.length - 1] = { ...last, toUs: span.toUs };
    else joined.push(span);
  }
  return joined;
}

function streamName(key: StreamKey): string {
  return guidName(key.channelId) + String.fromCharCode(STREAM_TYPES.indexOf(key.streamType));
}

function guidName(guid: Guid): string {
  return Buffer.from(guidToBytes(guid)).toString("latin1");
}

/** The id with a number in a table, remembered: a number is never given again. */
function idIn(known: Map<number, Guid>, table: NameTable, number: number): Guid | undefined {
  const before = known.get(number);
  if (before !== undefined) return before;
  const id = guidOf(table.name(number));
  if (id !== undefined) known.set(number, id);
  return id;
}

function guidOf(name: string | undefined): Guid | undefined {
  return name?.length === 16 ? guidFromBytes(Buffer.from(name, "latin1")) : undefined;
}
