import path from "node:path";
import * as v from "valibot";
import {
  errorText,
  type Guid,
  type Log,
  NvrdError,
  parseGuid,
  readSmallFile,
  replaceSmallFile,
} from "../../base/index.js";

/** Two copies, written one after the other: this list cannot be rebuilt from the segments. */
const FILES = ["protected.json", "protected.json.copy"] as const;
const FORMAT_VERSION = 1;

/** One protected time of a channel: its recordings stay until it is lifted. */
export interface ProtectedRange {
  readonly id: Guid;
  readonly channelId: Guid;
  readonly fromUs: number;
  readonly toUs: number;
  readonly comment: string;
  /** Who protected it, and when. */
  readonly userId: Guid;
  readonly userName: string;
  readonly createdUs: number;
}

const guid = v.pipe(
  v.string(),
  v.check((text) => parseGuid(text) === text),
);
const timeUs = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const rangeSchema = v.object({
  id: guid,
  channelId: guid,
  fromUs: timeUs,
  toUs: timeUs,
  comment: v.string(),
  userId: guid,
  userName: v.string(),
  createdUs: timeUs,
});
const fileSchema = v.object({
  formatVersion: v.pipe(v.number(), v.integer()),
  ranges: v.array(rangeSchema),
});

/** Keeps the protected times in the data directory. */
export class ProtectedFile {
  readonly #paths: readonly string[];
  readonly #log: Log;

  constructor(options: { readonly dataDir: string; readonly log: Log }) {
    this.#paths = FILES.map((name) => path.join(options.dataDir, name));
    this.#log = options.log;
  }

  /** The stored times; from the copy if the first file is damaged. Throws NvrdError FORMAT_NEWER. */
  load(): readonly ProtectedRange[] {
    for (const file of this.#paths) {
      try {
        const text = readSmallFile(file);
        if (text === undefined) continue;
        const kept = v.parse(fileSchema, JSON.parse(text));
        if (kept.formatVersion > FORMAT_VERSION) {
          throw new NvrdError("FORMAT_NEWER", `${file} has format ${kept.formatVersion}`);
        }
        return kept.ranges;
      } catch (error) {
        if (error instanceof NvrdError) throw error;
        this.#log.error({ path: file }, `protected times cannot be read: ${errorText(error)}`);
      }
    }
    return [];
  }

  /** The problem with the stored list, for users; undefined if there is none. */
  fault(): string | undefined {
    const faults = this.#paths.flatMap((file) => {
      try {
        const text = readSmallFile(file);
        const kept = text === undefined ? undefined : v.parse(fileSchema, JSON.parse(text));
        const reversed = kept?.ranges.find(({ fromUs, toUs }) => toUs <= fromUs);
        return reversed === undefined ? [] : [`${path.basename(file)}: ${reversed.id} ends before it starts`];
      } catch (error) {
        return [`${path.basename(file)}: ${errorText(error)}`];
      }
    });
    return faults.length === 0 ? undefined : faults.join("; ");
  }

  /** Resolves when the list is durable. */
  async save(ranges: readonly ProtectedRange[]): Promise<void> {
    const text = `${JSON.stringify({ formatVersion: FORMAT_VERSION, ranges }, null, 2)}\n`;
    for (const file of this.#paths) await replaceSmallFile(file, text);
  }
}
