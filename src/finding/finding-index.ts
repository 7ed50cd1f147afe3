import { constants } from "node:fs";
import { mkdir, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errorText, type Guid, type Log, openPlain, US_PER_DAY } from "../base/index.js";
import {
  type DaySection,
  readDayHeads,
  readSection,
  type SectionHead,
  type SectionSource,
  writeDayFile,
} from "./day-file.js";
import type { Finding } from "./finding.js";
import { FindingRows } from "./finding-rows.js";

const DAY_FILE = /^(\d{4}-\d{2}-\d{2})\.day$/;
/** Faces and plates may be read in it. */
const DIRECTORY_MODE = 0o700;

/** The day of a moment, by UTC, as files are named. */
export function dayOf(timeUs: number): string {
  return new Date(Math.floor(timeUs / 1000)).toISOString().slice(0, 10);
}

export function dayBeginUs(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) * 1000;
}

export function dayAfter(day: string, days = 1): string {
  return dayOf(dayBeginUs(day) + days * US_PER_DAY);
}

/** In place of a volume: what is on none yet. */
export const NO_VOLUME = "";

/** A section as it is in memory, while something is entered. */
export interface OpenSection extends DaySection {
  wholeBytes: number;
  fileBytes: number;
}

export interface DaySource {
  readonly day: string;
  readonly source: SectionSource;
}

export interface FindingIndexOptions {
  readonly directory: string;
  /** A section's file of the index cannot be read: the files on the volumes have it. */
  readonly onDamaged: (source: SectionSource) => void;
  readonly log: Log;
}

/**
 * The rows of all findings, a file a day in a directory of the system disk. It is a cache of the files on the volumes: what is lost of
 * it is read from them again. Days in which something is entered are in memory until they are saved.
 */
export class FindingIndex {
  readonly #options: FindingIndexOptions;
  readonly #heads = new Map<string, readonly SectionHead[]>();
  readonly #open = new Map<string, OpenSection[]>();
  readonly #dirty = new Set<string>();

  constructor(options: FindingIndexOptions) {
    this.#options = options;
  }

  /** Reads which days there are. */
  async load(): Promise<void> {
    const { directory } = this.#options;
    await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
    for (const name of await readdir(directory)) {
      const day = DAY_FILE.exec(name)?.[1];
      const heads = day === undefined ? undefined : await this.#headsIn(day);
      if (day !== undefined && heads !== undefined) this.#heads.set(day, heads);
    }
  }

  /** The newest first. */
  days(): readonly string[] {
    return [...new Set([...this.#heads.keys(), ...this.#open.keys()])].sort().reverse();
  }

  /** What each day has, and how far it was read. */
  *sources(): Iterable<DaySource> {
    for (const day of this.days())
      for (const source of this.#open.get(day) ?? this.#heads.get(day) ?? []) yield { day, source };
  }

  /** All sections of a day, to be entered into. */
  async opened(day: string): Promise<readonly OpenSection[]> {
    const known = this.#open.get(day);
    if (known !== undefined) return known;
    const sections: OpenSection[] = [];
    for await (const section of this.#stored(day, () => true)) sections.push({ ...section });
    const meanwhile = this.#open.get(day);
    if (meanwhile !== undefined) return meanwhile;
    this.#open.set(day, sections);
    return sections;
  }

  /** The section of a channel and volume, made where there is none. */
  async section(day: string, channelId: Guid, volumeId: string): Promise<OpenSection> {
    const made = { channelId, volumeId, wholeBytes: 0, fileBytes: 0, rows: new FindingRows(channelId) };
    let section: OpenSection = made;
    await this.#change(day, (sections) => {
      const known = sections.find((one) => isSame(one, made));
      section = known ?? made;
      return known === undefined ? [...sections, made] : sections;
    });
    return section;
  }

  noteChange(day: string): void {
    this.#dirty.add(day);
  }

  async replace(day: string, section: OpenSection): Promise<void> {
    await this.#change(day, (sections) => [...sections.filter((one) => !isSame(one, section)), section]);
    this.#dirty.add(day);
  }

  async drop(day: string, source: SourceKey): Promise<void> {
    await this.#change(day, (sections) => sections.filter((one) => !isSame(one, source)));
    this.#dirty.add(day);
  }

  /** A finding that is on no volume, and comes to none. */
  async giveUp({ channelId, beginUs }: Pick<Finding, "channelId" | "beginUs">): Promise<void> {
    const day = dayOf(beginUs);
    await this.#change(day, (sections) => {
      for (const one of sections) {
        const row = one.channelId === channelId ? one.rows.rowOf(beginUs) : undefined;
        if (row !== undefined && one.rows.place(row).bytes === 0) one.rows.remove(row);
      }
      return sections.filter(({ volumeId, rows }) => volumeId !== NO_VOLUME || rows.count > 0);
    });
    this.#dirty.add(day);
  }

  /** Whoever enters findings and who works with the volumes change it side by side: a change is made at once. */
  async #change(day: string, change: (sections: OpenSection[]) => OpenSection[]): Promise<void> {
    for (;;) {
      await this.opened(day);
      const sections = this.#open.get(day);
      // Else it has left memory meanwhile.
      if (sections === undefined) continue;
      this.#open.set(day, change(sections));
      return;
    }
  }

  /** The sections of the channels, for a search. */
  async *sections(day: string, wants: (channelId: Guid) => boolean): AsyncGenerator<DaySection> {
    const sections = this.#open.get(day);
    if (sections === undefined) yield* this.#stored(day, wants);
    else for (const section of sections) if (wants(section.channelId)) yield section;
  }

  /** Writes the days that changed; those before `keptDay` leave memory. Rejects where the disk does; nothing is lost then. */
  async save(keptDay: string): Promise<void> {
    for (const day of [...this.#dirty]) {
      // What is entered meanwhile is for the next time.
      this.#dirty.delete(day);
      try {
        await this.#saveDay(day);
      } catch (error) {
        this.#dirty.add(day);
        throw error;
      }
    }
    for (const [day, sections] of this.#open) {
      const isKept =
        day >= keptDay || this.#dirty.has(day) || sections.some(({ volumeId }) => volumeId === NO_VOLUME);
      if (!isKept) this.#open.delete(day);
    }
  }

  async #saveDay(day: string): Promise<void> {
    const sections = (await this.opened(day)).filter(({ volumeId }) => volumeId !== NO_VOLUME);
    if (sections.length > 0) {
      this.#heads.set(day, await writeDayFile(this.#path(day), sections));
      return;
    }
    this.#heads.delete(day);
    await unlink(this.#path(day)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    });
  }

  async *#stored(day: string, wants: (channelId: Guid) => boolean): AsyncGenerator<DaySection> {
    const heads = (this.#heads.get(day) ?? []).filter(({ channelId }) => wants(channelId));
    if (heads.length === 0) return;
    const file = await openPlain(this.#path(day), constants.O_RDONLY).catch((error: unknown) =>
      this.#lose(day, heads, error),
    );
    if (file === undefined) return;
    try {
      for (const head of heads) {
        const { channelId, volumeId, wholeBytes, fileBytes } = head;
        const rows = await readSection(file, head).catch((error: unknown) => errorText(error));
        if (rows === undefined || typeof rows === "string") this.#lose(day, [head], rows ?? "damaged");
        else yield { channelId, volumeId, wholeBytes, fileBytes, rows };
      }
    } finally {
      await file.close();
    }
  }

  async #headsIn(day: string): Promise<SectionHead[] | undefined> {
    try {
      const file = await openPlain(this.#path(day), constants.O_RDONLY);
      try {
        return await readDayHeads(file);
      } finally {
        await file.close();
      }
    } catch (error) {
      this.#logLoss(day, error);
      return undefined;
    }
  }

  #lose(day: string, lost: readonly SectionHead[], error: unknown): undefined {
    const left = (this.#heads.get(day) ?? []).filter((head) => !lost.includes(head));
    this.#heads.set(day, left);
    this.#logLoss(day, error);
    for (const head of lost) this.#options.onDamaged(head);
    return undefined;
  }

  #logLoss(day: string, error: unknown): void {
    this.#options.log.warn(
      { day, error: errorText(error) },
      "findings: a day of the index cannot be read; it is read from the volumes again",
    );
  }

  #path(day: string): string {
    return join(this.#options.directory, `${day}.day`);
  }
}

type SourceKey = Pick<SectionSource, "channelId" | "volumeId">;

function isSame(one: SourceKey, other: SourceKey): boolean {
  return one.channelId === other.channelId && one.volumeId === other.volumeId;
}
