import * as v from "valibot";
import { errorText, type Log, readSmallFile, replaceSmallFile } from "../../base/index.js";
import { DISKS_MAX } from "./block-disks.js";

/** The last announced state of a disk, so that a restart reports only changes. */
export interface AnnouncedDisk {
  /** `sda (WDC …, serial …)`, for the time when it is gone. */
  readonly name: string;
  /** Undefined: nothing was announced yet. */
  readonly verdict: "good" | "worn" | "failing" | "silent" | undefined;
  readonly isHot: boolean;
}

const FORMAT = 1;
const TEXT_MAX = 1024;
const FILE_BYTES_MAX = 1024 * 1024;

const text = v.pipe(v.string(), v.maxLength(TEXT_MAX));
const schema = v.object({
  format: v.literal(FORMAT),
  disks: v.pipe(
    v.array(
      v.object({
        key: text,
        name: text,
        verdict: v.optional(v.picklist(["good", "worn", "failing", "silent"])),
        isHot: v.boolean(),
      }),
    ),
    v.maxLength(DISKS_MAX),
  ),
});

/** The announced disks, kept in a small file of the data directory. */
export class AnnouncedDisks {
  readonly #file: string;
  readonly #log: Log;
  #disks: ReadonlyMap<string, AnnouncedDisk> | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(file: string, log: Log) {
    this.#file = file;
    this.#log = log;
  }

  /** By key; undefined if no disk was ever announced. */
  get disks(): ReadonlyMap<string, AnnouncedDisk> | undefined {
    return this.#disks;
  }

  load(): void {
    try {
      const text = readSmallFile(this.#file);
      if (text === undefined) return;
      if (text.length > FILE_BYTES_MAX) throw new Error("it is too long");
      const { disks } = v.parse(schema, JSON.parse(text));
      this.#disks = new Map(disks.map(({ key, name, verdict, isHot }) => [key, { name, verdict, isHot }]));
    } catch (error) {
      this.#log.error({ path: this.#file }, `damaged, all disks are announced again: ${errorText(error)}`);
    }
  }

  /** Stores them; saved in the background, since the system disk may be full or slow. */
  keep(disks: ReadonlyMap<string, AnnouncedDisk>): void {
    this.#disks = disks;
    const list = [...disks].slice(0, DISKS_MAX).map(([key, told]) => ({ key, ...told }));
    const text = `${JSON.stringify({ format: FORMAT, disks: list })}\n`;
    this.#saving = this.#saving
      .then(() => replaceSmallFile(this.#file, text))
      .catch((error: unknown) => {
        this.#log.error({ path: this.#file }, `cannot be saved: ${errorText(error)}`);
      });
  }

  /** Resolves when what was kept is saved, or cannot be. */
  async saved(): Promise<void> {
    await this.#saving;
  }
}
