import type { SideFiles } from "../../archive/index.js";
import type { Guid } from "../../base/index.js";
import { type FindingFiles, findingFile, readFindingFile } from "../../finding/index.js";
import { FINDINGS_BYTES_MAX, findingsKey } from "../plan/finding-keys.js";
import { LISTED_MAX } from "../send/send-messages.js";
import type { Sender } from "../send/sender.js";
import type { Box, BucketBoxes } from "./bucket-boxes.js";

/** Files of findings of all boxes, and their bytes: those of the oldest days are left out. */
const FILES_MAX = 200_000;
const BYTES_MAX = 8 * 1024 * 1024 * 1024;
/** Names of one box: 64 channels for forty years. */
const NAMES_MAX = 1_000_000;

type Listed = Awaited<ReturnType<SideFiles["listSideFiles"]>>[number];
type Piece = Awaited<ReturnType<SideFiles["readSideFile"]>>;

export interface BucketFindingsOptions {
  /** Of all of them together. */
  readonly id: Guid;
  readonly sender: Pick<Sender, "run">;
  readonly boxes: Pick<BucketBoxes, "isKnown" | "listings" | "boxes" | "channel">;
  readonly filesMax?: number;
}

/**
 * The findings in a bucket, of all boxes, as files of one volume that is only read: `findings/<channel>/<day>.findings`, by the channel's id as
 * it is shown. Each time that the boxes are looked at they are other files, to be compared.
 */
export class BucketFindings {
  readonly #options: BucketFindingsOptions;
  #now: { readonly listing: number; readonly files: FindingFiles } | undefined;

  constructor(options: BucketFindingsOptions) {
    this.#options = options;
  }

  /** Undefined: the boxes are not known yet. */
  files(): FindingFiles | undefined {
    const { boxes } = this.#options;
    if (!boxes.isKnown) return undefined;
    if (this.#now?.listing !== boxes.listings)
      this.#now = { listing: boxes.listings, files: new ListedFindings(this.#options) };
    return this.#now.files;
  }
}

class ListedFindings implements FindingFiles {
  readonly id: Guid;
  readonly #options: BucketFindingsOptions;
  /** What was read last: a file is read piece by piece. */
  #read: { readonly path: string; readonly content: Uint8Array } | undefined;

  constructor(options: BucketFindingsOptions) {
    this.#options = options;
    this.id = options.id;
  }

  /** The newest days, as many as are kept. Rejects with SendError. */
  async listSideFiles(): Promise<readonly Listed[]> {
    const { boxes, filesMax = FILES_MAX } = this.#options;
    const found: (Listed & { readonly day: string })[] = [];
    for (const box of boxes.boxes) found.push(...(await this.#filesOf(box)));
    found.sort((one, other) => (one.day < other.day ? 1 : -1));
    let bytesLeft = BYTES_MAX;
    return found.slice(0, filesMax).filter(({ bytes }) => {
      bytesLeft -= bytes;
      return bytesLeft >= 0;
    });
  }

  async readSideFile(path: string, position: number, memory: SharedArrayBuffer): Promise<Piece> {
    const { content } = this.#read?.path === path && position > 0 ? this.#read : await this.#fetch(path);
    const piece = content.subarray(position, position + memory.byteLength);
    new Uint8Array(memory).set(piece);
    if (piece.length === 0) this.#read = undefined;
    return { bytes: piece.length, fileBytes: content.length };
  }

  async #filesOf({ prefix, channels }: Box): Promise<readonly (Listed & { readonly day: string })[]> {
    const { sender } = this.#options;
    const shown = new Map(channels.map(({ id, ownId }) => [ownId, id]));
    const start = `${prefix}findings/`;
    const found: (Listed & { readonly day: string })[] = [];
    for (let after: string | undefined; ; ) {
      const work = { op: "list", start, ...(after === undefined ? {} : { after }) } as const;
      const listed = await sender.run(work);
      for (const { key, bytes } of listed) {
        const of = readFindingFile(key.slice(prefix.length));
        const id = of === undefined ? undefined : shown.get(of.channelId);
        // No recorder sends a larger one.
        if (of !== undefined && id !== undefined && bytes <= FINDINGS_BYTES_MAX)
          found.push({ path: findingFile(id, of.day), bytes, day: of.day });
      }
      if (found.length > NAMES_MAX) throw new Error(`${start} has more than ${NAMES_MAX} files of findings`);
      if (listed.length < LISTED_MAX) return found;
      after = listed.at(-1)?.key;
    }
  }

  /** One that is not there has nothing. */
  async #fetch(path: string): Promise<{ readonly content: Uint8Array }> {
    const { boxes, sender } = this.#options;
    const of = readFindingFile(path);
    const channel = of === undefined ? undefined : boxes.channel(of.channelId);
    if (of === undefined || channel === undefined) return { content: new Uint8Array() };
    const key = channel.box.prefix + findingsKey(channel.ownId, of.day);
    const content = (await sender.run({ op: "get", key, bytesMax: FINDINGS_BYTES_MAX })) ?? new Uint8Array();
    this.#read = { path, content };
    return this.#read;
  }
}
