import { setImmediate } from "node:timers/promises";
import type { SideFile } from "../archive/index.js";
import { type Clock, type ClockTimer, errorText, type Guid, inTurns, type Log } from "../base/index.js";
import { FINDINGS_DIRECTORY, type FindingFiles, readFindingFile, readFindings } from "./finding-files.js";
import { type DaySource, dayAfter, dayOf, type FindingIndex, NO_VOLUME } from "./finding-index.js";

/** How soon a volume that came is compared. */
const LOOK_INTERVAL_MS = 5_000;
/** Files that are read between two savings of the index. */
const FILES_A_SAVING = 512;
/** Files that are compared between two turns of the event loop. */
const TURN_SOURCES = 4096;

export interface FindingReadingOptions {
  readonly index: FindingIndex;
  readonly volumes: {
    inUse(): readonly FindingFiles[];
    knownIds(): readonly Guid[];
    /** Whether more of them may come into use any moment: they are being opened. */
    isOpening?(): boolean;
  };
  /** Runs as the only one that works with the volumes. Never rejects. */
  readonly inTurn: (run: () => Promise<void>) => Promise<void>;
  /** The index has what is in a file; what was on its way there it has no more. */
  readonly onRead: (day: string, channelId: Guid) => void;
  readonly clock: Clock;
  readonly log: Log;
}

interface ToRead {
  readonly path: string;
  readonly channelId: Guid;
  readonly day: string;
}

/** Compares the index with the files of each volume that comes, and reads those that it lacks, the newest first. */
export class FindingReading {
  readonly #options: FindingReadingOptions;
  /** Volumes whose files are known: of the days that are written to, all is in the index. */
  readonly #known = new Map<FindingFiles, Guid>();
  readonly #failing = new Set<Guid>();
  /** Those that were read whole since the start. */
  readonly #read = new Set<Guid>();
  #timer: ClockTimer | undefined;
  #running: Promise<void> | undefined;
  #unread = 0;
  #isStopped = false;

  constructor(options: FindingReadingOptions) {
    this.#options = options;
  }

  /** Files that are still to be read; of each volume that was not compared since the start, one at least. */
  get unread(): number {
    const { volumes } = this.#options;
    const uncompared = volumes.inUse().filter(({ id }) => !this.#read.has(id)).length;
    return Math.max(this.#unread, uncompared + (volumes.isOpening?.() === true ? 1 : 0));
  }

  /** Whether all of a volume was read since the start, whatever has come since. */
  wasRead(volumeId: Guid): boolean {
    return this.#read.has(volumeId);
  }

  isKnown(volumeId: Guid): boolean {
    return [...this.#known.values()].includes(volumeId);
  }

  start(): void {
    this.#timer = this.#options.clock.setInterval(() => this.#look(), LOOK_INTERVAL_MS);
    this.#look();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.clear();
  }

  /** The index, or the volume, has lost something: they are compared again. */
  again(volumeId: string): void {
    for (const [volume, id] of this.#known) if (id === volumeId) this.#known.delete(volume);
  }

  async whole(): Promise<void> {
    this.#look();
    await this.#running;
  }

  #look(): void {
    if (this.#isStopped) return;
    this.#running ??= this.#readAll().finally(() => {
      this.#running = undefined;
    });
  }

  async #readAll(): Promise<void> {
    const inUse = this.#options.volumes.inUse();
    for (const volume of this.#known.keys()) if (!inUse.includes(volume)) this.#known.delete(volume);
    for (const volume of inUse) {
      // One that failed and was taken again under the same name may be another disk.
      if (this.#known.get(volume) === volume.id || this.#isStopped) continue;
      try {
        await this.#readVolume(volume);
        this.#failing.delete(volume.id);
      } catch (error) {
        this.#logFault(volume, error);
      }
    }
  }

  #logFault({ id: volume }: FindingFiles, error: unknown): void {
    if (!this.#failing.has(volume))
      this.#options.log.warn(
        { volume, error: errorText(error) },
        "the findings of a volume cannot be read: trying again",
      );
    this.#failing.add(volume);
  }

  async #readVolume(volume: FindingFiles): Promise<void> {
    let files: readonly ToRead[] = [];
    await this.#inTurn(async () => {
      await this.#dropForgotten();
      files = await this.#compare(volume);
    });
    const writtenDay = dayAfter(dayOf(this.#options.clock.nowUs()), -1);
    this.#unread = files.length;
    for (const [at, file] of files.entries()) {
      if (this.#isStopped) return;
      if (file.day < writtenDay) this.#known.set(volume, volume.id);
      await this.#inTurn(() => this.#readFile(volume, file));
      this.#unread -= 1;
      if (at % FILES_A_SAVING === FILES_A_SAVING - 1)
        await this.#inTurn(() => this.#options.index.save(writtenDay));
    }
    this.#known.set(volume, volume.id);
    const isFirst = !this.#read.has(volume.id);
    this.#read.add(volume.id);
    if (files.length > 0 && isFirst)
      this.#options.log.info(
        { volume: volume.id, files: files.length },
        "findings of a volume read into the index",
      );
  }

  /** Rejects with the fault of its run. */
  async #inTurn(run: () => Promise<void>): Promise<void> {
    let fault: unknown;
    await this.#options.inTurn(async () => {
      try {
        await run();
      } catch (error) {
        fault = error;
      }
    });
    if (fault !== undefined) throw fault;
  }

  /** What the index lacks of the volume, the newest first; what the volume lacks leaves the index. */
  async #compare(volume: FindingFiles): Promise<readonly ToRead[]> {
    const listed = new Map<string, SideFile & ToRead>();
    const files = await volume.listSideFiles(FINDINGS_DIRECTORY);
    for (const [at, file] of files.entries()) {
      const of = readFindingFile(file.path);
      if (of !== undefined) listed.set(`${of.channelId} ${of.day}`, { ...file, ...of });
      if (at % TURN_SOURCES === TURN_SOURCES - 1) await setImmediate();
    }
    for (const { day, source } of await inTurns(this.#sourcesIf((id) => id === volume.id))) {
      const key = `${source.channelId} ${day}`;
      const file = listed.get(key);
      if (file === undefined) await this.#options.index.drop(day, source);
      else if (file.bytes === source.fileBytes) listed.delete(key);
    }
    return [...listed.values()].sort((one, other) => (one.day < other.day ? 1 : -1));
  }

  async #dropForgotten(): Promise<void> {
    const known: ReadonlySet<string> = new Set([...this.#options.volumes.knownIds(), NO_VOLUME]);
    for (const { day, source } of await inTurns(this.#sourcesIf((id) => !known.has(id))))
      await this.#options.index.drop(day, source);
  }

  *#sourcesIf(isOf: (volumeId: string) => boolean): Generator<undefined, DaySource[]> {
    const found: DaySource[] = [];
    let looked = 0;
    for (const one of this.#options.index.sources()) {
      if (isOf(one.source.volumeId)) found.push(one);
      looked += 1;
      if (looked % TURN_SOURCES === 0) yield;
    }
    return found;
  }

  async #readFile(volume: FindingFiles, { path, channelId, day }: ToRead): Promise<void> {
    const { damaged, ...section } = await readFindings(volume, path, channelId);
    if (damaged > 0)
      this.#options.log.warn({ volume: volume.id, path, damaged }, "a file of findings has damaged lines");
    await this.#options.index.replace(day, section);
    this.#options.onRead(day, channelId);
  }
}
