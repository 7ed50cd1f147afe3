import { rm } from "node:fs/promises";
import { crc32 } from "node:zlib";
import * as v from "valibot";
import { keyFramesFragmentId } from "../../archive/index.js";
import { readSmallFileLater } from "../../base/index.js";
import { sentEntrySchema } from "./manifest.js";
import { formOf, type SentEntry } from "./sent-segment.js";

const lineSchema = v.variant("what", [
  v.object({ what: v.literal("sent"), entry: sentEntrySchema }),
  /** The same of key frames alone: a version that knows of none takes the segment for one that was not sent. */
  v.object({ what: v.literal("sent-keys"), entry: sentEntrySchema }),
  /** The key frames that a whole segment has taken the place of are not in the bucket any more. */
  v.object({ what: v.literal("cleared"), segmentId: v.number() }),
  v.object({ what: v.literal("forgotten"), segmentId: v.number() }),
  /** It has no tag by which rules of the bucket would remove it. */
  v.object({ what: v.literal("kept"), segmentId: v.number() }),
  /** The lock that the object in the bucket has, as `lockText` says it. */
  v.object({ what: v.literal("locked"), segmentId: v.number(), lock: v.string() }),
  /**
   * The bucket has a manifest of this revision; `isAll`: it names all segments before this line, `keyFrames` of them as key frames
   * alone, which a version that knows of none leaves out.
   */
  v.object({
    ...{ what: v.literal("named"), revision: v.number(), isAll: v.boolean() },
    keyFrames: v.optional(v.number()),
  }),
]);
/** Lines read without a pause: others wait for some milliseconds. */
const LINES_A_TURN = 100;
type Line = v.InferOutput<typeof lineSchema>;

/**
 * What of a channel's day lies in the bucket: a file to which a line is added for each segment. Every line has its own CRC: one that
 * a power cut tore is no line, and its segment is sent again, to the same name and with the same bytes. Its owner writes the lines:
 * those that a full disk refused stay in memory and are added with the next one.
 */
export class DayJournal {
  readonly file: string;
  /** There are lines to write. */
  readonly #onLines: (journal: DayJournal) => void;
  readonly #entries = new Map<number, SentEntry>();
  readonly #kept = new Set<number>();
  readonly #locks = new Map<number, string>();
  /** Key frames whose whole segments were sent later, as they lie there still. */
  readonly #replaced = new Map<number, SentEntry>();
  /** Key frames that lie in the bucket, of segments without an entry, and whether they are encrypted. */
  readonly #found = new Map<number, boolean>();
  /** Entries that are key frames alone. */
  #keyFrames = 0;
  #unwritten: string[] = [];
  /** Lines that are being written. */
  #taken: string[] = [];
  #revision = 0;
  #unnamed = 0;
  #changes = 0;
  /** Why the last line is not in the file; undefined if it is. */
  problem: unknown;

  private constructor(file: string, onLines: (journal: DayJournal) => void) {
    this.file = file;
    this.#onLines = onLines;
  }

  /** Reads what is there. Rejects only where the file exists and cannot be read. `onLines`: called with each new line. */
  static async open(file: string, onLines: (journal: DayJournal) => void): Promise<DayJournal> {
    const journal = new DayJournal(file, onLines);
    const text = (await readSmallFileLater(file)) ?? "";
    for (const [index, line] of text.split("\n").entries()) {
      if (index % LINES_A_TURN === LINES_A_TURN - 1) await new Promise((resolve) => setImmediate(resolve));
      const read = readLine(line);
      if (read !== undefined) journal.#apply(read);
    }
    // What follows a torn line begins on a line of its own.
    if (text !== "" && !text.endsWith("\n")) journal.#unwritten.push("\n");
    return journal;
  }

  /** By segment id. */
  get entries(): ReadonlyMap<number, SentEntry> {
    return this.#entries;
  }

  /** Of the newest manifest; 0: there was none. */
  get revision(): number {
    return this.#revision;
  }

  /** Changes that no manifest has yet. */
  get unnamed(): number {
    return this.#unnamed;
  }

  /** Grows with each change that a manifest should have. */
  get changes(): number {
    return this.#changes;
  }

  sent(entry: SentEntry): void {
    this.#add({ what: formOf(entry) === "whole" ? "sent" : "sent-keys", entry });
  }

  /** Key frames in the bucket that whole segments have taken the place of. */
  get replaced(): readonly SentEntry[] {
    return [...this.#replaced.values()];
  }

  /**
   * Key frames lie in the bucket that no line here may be of, because what noted them was lost. Where the whole segment is there,
   * now or later, it takes their place. Kept in memory alone: who looks again finds them again.
   */
  foundKeyFrames(segmentId: number, isSealed: boolean): void {
    this.#found.set(segmentId, isSealed);
    const entry = this.#entries.get(segmentId);
    if (entry !== undefined) this.#replaceFound(entry);
  }

  /** Some key frames were found whose segment has no entry yet. */
  get awaitsWhole(): boolean {
    return this.#found.size > 0;
  }

  cleared(segmentId: number): void {
    this.#add({ what: "cleared", segmentId });
  }

  forget(segmentId: number): void {
    this.#add({ what: "forgotten", segmentId });
  }

  /** The lock that an object is known to have; undefined: not known. */
  lockOf(segmentId: number): string | undefined {
    return this.#locks.get(segmentId);
  }

  isKept(segmentId: number): boolean {
    return this.#kept.has(segmentId);
  }

  kept(segmentId: number): void {
    this.#add({ what: "kept", segmentId });
  }

  locked(segmentId: number, lock: string): void {
    this.#add({ what: "locked", segmentId, lock });
  }

  named(revision: number, isAll: boolean): void {
    const keyFrames = isAll && this.#keyFrames > 0 ? { keyFrames: this.#keyFrames } : {};
    this.#add({ what: "named", revision, isAll, ...keyFrames });
  }

  /** All that it knows is in its file. */
  get isWritten(): boolean {
    return this.#taken.length === 0 && this.#unwritten.every((line) => line === "\n");
  }

  /** The lines that are to be written now; "": none, or some are being written. `written` follows. */
  takeLines(): string {
    if (this.#taken.length > 0) return "";
    this.#taken = this.#unwritten;
    this.#unwritten = [];
    return this.#taken.join("");
  }

  /** What was taken is in the file; `problem`: why it is not. */
  written(problem: unknown): void {
    const lines = this.#taken;
    this.#taken = [];
    this.problem = problem;
    // Half a line may be there: the next one begins anew.
    if (problem !== undefined)
      this.#unwritten = ["\n", ...lines.filter((line) => line !== "\n"), ...this.#unwritten];
  }

  async remove(): Promise<void> {
    await rm(this.file, { force: true });
  }

  #apply(line: Line): void {
    if (line.what === "kept") {
      this.#kept.add(line.segmentId);
      return;
    }
    if (line.what === "locked") {
      this.#locks.set(line.segmentId, line.lock);
      return;
    }
    if (line.what === "cleared") {
      this.#replaced.delete(line.segmentId);
      return;
    }
    if (line.what === "named") {
      this.#applyName(line);
      return;
    }
    if (line.what === "forgotten") this.#set(line.segmentId, undefined);
    else this.#applySent(line.entry);
    this.#unnamed += 1;
    this.#changes += 1;
  }

  #applySent(entry: SentEntry): void {
    const { segmentId } = entry;
    const before = this.#entries.get(segmentId);
    const isWhole = formOf(entry) === "whole";
    if (isWhole && before !== undefined && formOf(before) === "key frames")
      this.#replaced.set(segmentId, before);
    if (!isWhole) this.#replaced.delete(segmentId);
    // An object that was sent again is a new version, without a lock.
    this.#locks.delete(segmentId);
    this.#kept.delete(segmentId);
    this.#set(segmentId, entry);
    this.#replaceFound(entry);
  }

  #replaceFound(entry: SentEntry): void {
    const { segmentId } = entry;
    const isSealed = this.#found.get(segmentId);
    const fragmentId = keyFramesFragmentId(entry.fragmentId);
    if (isSealed === undefined) return;
    this.#found.delete(segmentId);
    if (formOf(entry) === "whole" && fragmentId !== undefined)
      this.#replaced.set(segmentId, { ...entry, fragmentId, sealedBytes: isSealed ? 0 : undefined });
  }

  #applyName({ revision, isAll, keyFrames = 0 }: Extract<Line, { what: "named" }>): void {
    this.#revision = Math.max(this.#revision, revision);
    if (isAll && keyFrames === this.#keyFrames) this.#unnamed = 0;
    else this.#unnamed = Math.max(1, this.#unnamed);
  }

  #set(segmentId: number, entry: SentEntry | undefined): void {
    const before = this.#entries.get(segmentId);
    if (before !== undefined && formOf(before) === "key frames") this.#keyFrames -= 1;
    if (entry === undefined) this.#entries.delete(segmentId);
    else this.#entries.set(segmentId, entry);
    if (entry !== undefined && formOf(entry) === "key frames") this.#keyFrames += 1;
  }

  #add(line: Line): void {
    this.#apply(line);
    const json = JSON.stringify(line);
    this.#unwritten.push(`${crc32(json).toString(16).padStart(8, "0")} ${json}\n`);
    this.#onLines(this);
  }
}

function readLine(line: string): Line | undefined {
  const crc = line.slice(0, 8);
  const json = line.slice(9);
  if (json === "" || crc !== crc32(json).toString(16).padStart(8, "0")) return undefined;
  try {
    return v.parse(lineSchema, JSON.parse(json));
  } catch {
    return undefined; // of another version
  }
}
