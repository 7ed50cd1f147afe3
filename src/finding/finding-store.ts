import { join } from "node:path";
import type { SideFiles } from "../archive/index.js";
import { type Clock, type ClockTimer, endsWithin, errorText, type Guid, type Log } from "../base/index.js";
import type { Finding } from "./finding.js";
import { readFindingId } from "./finding.js";
import { appendFindings, findingFile, hasRoom, readFinding } from "./finding-files.js";
import { dayAfter, dayOf, FindingIndex, type OpenSection } from "./finding-index.js";
import { FindingReading } from "./finding-reading.js";
import { FindingRetention, type KeptSince } from "./finding-retention.js";
import { type FindingPage, type FindingQuery, searchFindings } from "./finding-search.js";
import type { LastingFindings } from "./lasting-findings.js";

/** Between two times that what ended is written to the volumes: a crash loses no more of it. */
export const WRITE_INTERVAL_MS = 5_000;
/** A finding that lasts is written when it is so old, and then as often: a crash loses no more of it. */
const LASTING_FIRST_US = 10_000_000;
const LASTING_AGAIN_US = 60_000_000;
/** Between two times that the index is written. What a crash loses of it is read from the volumes. */
const SAVE_INTERVAL_MS = 300_000;
/** Findings that wait for a volume; beyond them the oldest is given up. */
export const WAITING_MAX = 20_000;
const STOP_WAIT_MS = 5_000;
/** On no volume yet. */
const NO_VOLUME = "";
const INDEX_DIRECTORY = "findings";

interface FindingVolumes {
  /** Those in use. */
  inUse(): readonly SideFiles[];
  /** All that belong to the recorder, those that are away as well. */
  knownIds(): readonly Guid[];
  /** Where the channel's findings go: to its recordings, else anywhere. Undefined: nothing can be written. */
  of(channelId: Guid): Guid | undefined;
}

interface FindingStoreOptions {
  readonly dataDir: string;
  readonly lasting: LastingFindings;
  readonly volumes: FindingVolumes;
  readonly kept: KeptSince;
  readonly clock: Clock;
  readonly log: Log;
}

interface FindingStoreState {
  /** Files of findings that are still to be read into the index: a search may lack what they have. */
  readonly unread: number;
  /** Findings that wait for a volume. */
  readonly waiting: number;
  /** Findings that were given up since the start. */
  readonly lost: number;
}

/** Keeps the findings: on the volumes, beside the recordings, and in an index to search them. */
export class FindingStore {
  readonly #options: FindingStoreOptions;
  readonly #index: FindingIndex;
  readonly #reading: FindingReading;
  readonly #retention: FindingRetention;
  /** As they were told last, and not entered into the index yet. */
  readonly #told = new Map<string, Finding>();
  /** Entered, and not on a volume as they are now. */
  readonly #unwritten = new Map<string, Finding>();
  /** When those that last were written last. */
  readonly #writtenUs = new Map<string, number>();
  #timers: ClockTimer[] = [];
  #listening: { close(): void } | undefined;
  /** One change of the index at a time. */
  #work: Promise<void> = Promise.resolve();
  #loaded: Promise<void> = Promise.resolve();
  #isBusy = false;
  #lost = 0;
  #isFailing = false;

  constructor(options: FindingStoreOptions) {
    this.#options = options;
    const { dataDir, log, volumes, clock } = options;
    this.#index = new FindingIndex({
      directory: join(dataDir, INDEX_DIRECTORY),
      onDamaged: ({ volumeId }) => this.#reading.again(volumeId),
      log,
    });
    this.#reading = new FindingReading({
      index: this.#index,
      volumes,
      inTurn: (run) => this.#inTurn(run),
      clock,
      log,
    });
    this.#retention = new FindingRetention({ index: this.#index, volumes, kept: options.kept, clock, log });
  }

  /** Hears of findings from now on. The index is read, and compared with the volumes, beside it. */
  start(): void {
    const { lasting, clock } = this.#options;
    this.#listening = lasting.onChange((finding) => this.#note(finding));
    this.#loaded = this.#inTurn(() => this.#index.load());
    this.#timers = [
      clock.setInterval(() => this.#writeSoon(), WRITE_INTERVAL_MS),
      clock.setInterval(() => void this.#inTurn(() => this.#save()), SAVE_INTERVAL_MS),
    ];
    this.#reading.start();
  }

  /** What lasts ends; all is written, as far as the disks answer. */
  async stop(): Promise<void> {
    for (const timer of this.#timers.splice(0)) timer.clear();
    this.#reading.stop();
    this.#options.lasting.stop();
    this.#listening?.close();
    const saved = this.#inTurn(async () => {
      await this.#write();
      await this.#save();
    });
    await endsWithin(saved, { clock: this.#options.clock, ms: STOP_WAIT_MS });
  }

  state(): FindingStoreState {
    const waiting = this.#unwritten.size + this.#told.size;
    return { unread: this.#reading.unread, waiting, lost: this.#lost + this.#options.lasting.refused };
  }

  /** Resolves when all volumes in use have been compared with the index. */
  read(): Promise<void> {
    return this.#reading.whole();
  }

  async search(query: FindingQuery): Promise<FindingPage> {
    await this.#loaded;
    if (this.#told.size > 0) await this.#inTurn(() => this.#enter());
    const page = await searchFindings(this.#index, query);
    return { ...page, findings: page.findings.map((finding) => this.#asItIs(finding)) };
  }

  /** A finding with its path; undefined: there is none. */
  async get(id: string): Promise<Finding | undefined> {
    const position = readFindingId(id);
    if (position === undefined) return undefined;
    const now = this.#now(id);
    if (now !== undefined) return now;
    const { channelId, beginUs } = position;
    const day = dayOf(beginUs);
    for await (const { rows, volumeId } of this.#index.sections(day, (one) => one === channelId)) {
      const row = rows.rowOf(beginUs);
      if (row === undefined) continue;
      const volume = this.#options.volumes.inUse().find((one) => one.id === volumeId);
      const path = findingFile(channelId, day);
      const whole =
        volume === undefined ? undefined : await readFinding(volume, path, channelId, rows.place(row));
      return { ...(whole ?? rows.finding(row)), isLasting: false };
    }
    return undefined;
  }

  /** Writes what is to be written, and the index; for tests, and before the end. */
  flush(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#write();
      await this.#save();
    });
  }

  /** Lets go of what the recordings have left. */
  sweep(): Promise<void> {
    return this.#inTurn(() => this.#retention.turn());
  }

  #note(finding: Finding): void {
    if (this.#told.size >= WAITING_MAX && !this.#told.has(finding.id)) {
      this.#lost += 1;
      return;
    }
    this.#told.set(finding.id, finding);
  }

  /** As it was told last, if it is not over or not yet on a volume. */
  #now(id: string): Finding | undefined {
    const channelId = readFindingId(id)?.channelId;
    const lasting = this.#options.lasting.lasting(channelId).find((one) => one.id === id);
    return lasting ?? this.#told.get(id) ?? this.#unwritten.get(id);
  }

  /** What the last run left open is over; what lasts is as it was seen last. */
  #asItIs(finding: Finding): Finding {
    if (!finding.isLasting) return finding;
    const now = this.#now(finding.id);
    return now === undefined ? { ...finding, isLasting: false } : { ...now, path: [] };
  }

  async #inTurn(run: () => Promise<void>): Promise<void> {
    const before = this.#work;
    const turn = before.then(run).catch((error: unknown) => this.#tellFault(error));
    this.#work = turn;
    await turn;
  }

  #tellFault(error: unknown): void {
    if (!this.#isFailing)
      this.#options.log.error(
        { error: errorText(error) },
        "findings cannot be kept at the moment: trying again",
      );
    this.#isFailing = true;
  }

  #writeSoon(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    void this.#inTurn(() => this.#write()).finally(() => {
      this.#isBusy = false;
    });
  }

  async #save(): Promise<void> {
    await this.#retention.turn();
    await this.#index.save(dayAfter(dayOf(this.#options.clock.nowUs()), -1));
  }

  /** Enters what was told into the index, so that it is found; it is on no volume yet. */
  async #enter(): Promise<void> {
    for (const finding of [...this.#told.values()]) {
      const day = dayOf(finding.beginUs);
      const section = await this.#sectionOf(finding, day);
      // Told again meanwhile: that comes next.
      if (this.#told.get(finding.id) === finding) this.#told.delete(finding.id);
      if (!section.rows.put(finding)) {
        this.#lost += 1;
        continue;
      }
      this.#index.noteChange(day);
      this.#unwritten.set(finding.id, finding);
    }
    this.#boundWaiting();
  }

  #boundWaiting(): void {
    for (const id of this.#unwritten.keys()) {
      if (this.#unwritten.size <= WAITING_MAX) return;
      this.#unwritten.delete(id);
      this.#lost += 1;
    }
  }

  /** The section that has it, else that of the volume it goes to. */
  async #sectionOf({ channelId, beginUs }: Finding, day: string): Promise<OpenSection> {
    const sections = await this.#index.opened(day);
    const own = sections.find((one) => one.channelId === channelId && one.rows.rowOf(beginUs) !== undefined);
    return own ?? (await this.#index.section(day, channelId, this.#volumeFor(channelId)?.id ?? NO_VOLUME));
  }

  /** One whose files are known: what is written goes behind what is there. */
  #volumeFor(channelId: Guid): SideFiles | undefined {
    const id = this.#options.volumes.of(channelId);
    if (id === undefined || !this.#reading.isKnown(id)) return undefined;
    return this.#options.volumes.inUse().find((volume) => volume.id === id);
  }

  async #write(): Promise<void> {
    await this.#enter();
    for (const [key, findings] of this.#dueByFile()) {
      const { channelId, day } = JSON.parse(key) as { channelId: Guid; day: string };
      try {
        await this.#writeFile(channelId, day, findings);
      } catch (error) {
        this.#tellFault(error);
      }
    }
    if (this.#isFailing && this.#unwritten.size === 0) {
      this.#isFailing = false;
      this.#options.log.info({}, "findings are kept again");
    }
  }

  /** What ended, and what has lasted for long enough. */
  #dueByFile(): ReadonlyMap<string, Finding[]> {
    const nowUs = this.#options.clock.nowUs();
    const files = new Map<string, Finding[]>();
    for (const finding of this.#unwritten.values()) {
      const { id, channelId, beginUs, isLasting } = finding;
      const dueUs =
        (this.#writtenUs.get(id) ?? beginUs + LASTING_FIRST_US - LASTING_AGAIN_US) + LASTING_AGAIN_US;
      if (isLasting && nowUs < dueUs) continue;
      const key = JSON.stringify({ channelId, day: dayOf(beginUs) });
      files.set(key, [...(files.get(key) ?? []), finding]);
    }
    return files;
  }

  async #writeFile(channelId: Guid, day: string, findings: readonly Finding[]): Promise<void> {
    const volume = this.#volumeFor(channelId);
    if (volume === undefined) return;
    const section = await this.#index.section(day, channelId, volume.id);
    if (hasRoom(section, findings.length))
      await appendFindings(volume, findingFile(channelId, day), section, findings);
    else this.#lost += findings.length;
    this.#index.noteChange(day);
    for (const finding of findings) this.#noteWritten(finding);
    await this.#leaveWaiting(channelId, day);
  }

  #noteWritten(finding: Finding): void {
    if (this.#unwritten.get(finding.id) === finding) this.#unwritten.delete(finding.id);
    if (finding.isLasting) this.#writtenUs.set(finding.id, this.#options.clock.nowUs());
    else this.#writtenUs.delete(finding.id);
  }

  /** Once nothing of a channel and day waits for a volume, nothing stands for it any more. */
  async #leaveWaiting(channelId: Guid, day: string): Promise<void> {
    const sections = await this.#index.opened(day);
    const waits = sections.some((one) => one.channelId === channelId && one.volumeId === NO_VOLUME);
    const isOfDay = (one: Finding): boolean => one.channelId === channelId && dayOf(one.beginUs) === day;
    if (waits && ![...this.#unwritten.values()].some(isOfDay))
      await this.#index.drop(day, { channelId, volumeId: NO_VOLUME });
  }
}
