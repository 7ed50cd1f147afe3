import * as v from "valibot";
import type { Log } from "../../base/index.js";
import { KeptFile, keptKind } from "../../kept/index.js";
import { DISKS_MAX } from "./block-disks.js";

/** The last announced state of a disk, so that a restart reports only changes. */
export interface AnnouncedDisk {
  /** `sda (WDC …, serial …)`, for the time when it is gone. */
  readonly name: string;
  /** Undefined: nothing was announced yet. */
  readonly verdict: "good" | "worn" | "failing" | "silent" | undefined;
  readonly isHot: boolean;
}

const TEXT_MAX = 1024;

const text = v.pipe(v.string(), v.maxLength(TEXT_MAX));
const schema = v.object({
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

export const ANNOUNCED_DISKS_KIND = keptKind({
  name: "disks.json",
  says: "which states of disks were announced",
  policy: "forget",
  damaged: "damaged, all disks are announced again",
  versionMember: "format",
  schema,
});

/** The announced disks, kept in a small file of the data directory. */
export class AnnouncedDisks {
  readonly #file: KeptFile<typeof schema>;
  #disks: ReadonlyMap<string, AnnouncedDisk> | undefined;

  constructor(dataDir: string, log: Log) {
    const disks = () => [...(this.#disks ?? [])].slice(0, DISKS_MAX);
    const content = () => ({ disks: disks().map(([key, announced]) => ({ key, ...announced })) });
    this.#file = new KeptFile(ANNOUNCED_DISKS_KIND, { directory: dataDir, log, content });
  }

  /** By key; undefined if no disk was ever announced. */
  get disks(): ReadonlyMap<string, AnnouncedDisk> | undefined {
    return this.#disks;
  }

  load(): void {
    const kept = this.#file.read()?.disks;
    if (kept === undefined) return;
    this.#disks = new Map(kept.map(({ key, name, verdict, isHot }) => [key, { name, verdict, isHot }]));
  }

  /** Stores them; saved in the background, since the system disk may be full or slow. */
  keep(disks: ReadonlyMap<string, AnnouncedDisk>): void {
    this.#disks = disks;
    this.#file.changed();
  }

  /** Resolves when what was kept is saved, or cannot be. */
  async saved(): Promise<void> {
    await this.#file.flush();
  }
}
