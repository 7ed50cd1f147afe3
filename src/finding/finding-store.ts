import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { SideFiles } from "../archive/index.js";
import {
  type Clock,
  type ClockTimer,
  endsWithin,
  errorText,
  type Guid,
  type Log,
  US_PER_DAY,
} from "../base/index.js";
import type { Finding } from "./finding.js";
import { readFindingId } from "./finding.js";
import {
  appendFindings,
  findingFile,
  hasRoom,
  isShort,
  isSilence,
  readFinding,
  readLines,
} from "./finding-files.js";
import { dayAfter, dayBeginUs, dayOf, FindingIndex, NO_VOLUME, type OpenSection } from "./finding-index.js";
import { FindingReading } from "./finding-reading.js";
import { FindingRetention, type KeptSince } from "./finding-retention.js";
import { type FindingPage, type FindingQuery, searchFindings } from "./finding-search.js";
import type { LastingFindings } from "./lasting-findings.js";

/** Between two times that what ended is written to the volumes: a crash loses no more of it. */
const WRITE_INTERVAL_MS = 5_000;
/** A finding that lasts is written when it is so old, and then as often: a crash loses no more of it. */
const LASTING_FIRST_US = 10_000_000;
const LASTING_AGAIN_US = 60_000_000;
/** Between two times that the index is written. What a crash loses of it is read from the volumes. */
const SAVE_INTERVAL_MS = 300_000;
/** Findings that wait for a volume; beyond them the oldest is given up. */
const WAITING_MAX = 20_000;
/** Findings that are entered, or made lines of a file, between two turns of the event loop: some milliseconds. */
const TURN_FINDINGS = 256;
const STOP_WAIT_MS = 5_000;
/** What cannot be written, where it is not a volume. */
const INDEX = "index";
const INDEX_DIRECTORY = "findings";

interface FindingVolumes {
  /** Those in use. */
  inUse(): readonly SideFiles[];
  /** All that belong to the recorder, those that are away as well. */
  knownIds(): readonly Guid[];
  /** Whether those that are not in use yet are being opened. */
  isOpening(): boolean;
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
  /** Default `WAITING_MAX`. */
  readonly waitingMax?: number;
  /** Of the files on one volume; default 512 MiB. */
  readonly volumeBytesMax?: number;
}

interface FindingStoreState {
  /** Files of findings that are still to be read into the index: a search may lack what they have. */
  readonly unread: number;
  /** Findings that are over and wait for a volume. */
  readonly waiting: number;
  /** Findings that were given up since the start. */
  readonly lost: number;
  /** A volume, or the index, could not be written last. */
  readonly isFailing: boolean;
}

/** Findings of one file that are to be written. */
interface DueFile {
  readonly channelId: Guid;
  readonly day: string;
  readonly findings: Finding[];
}

/** Keeps the findings: on the volumes, beside the recordings, and in an index to search them. */
export class FindingStore {
  readonly #options: FindingStoreOptions;
  readonly #index: FindingIndex;
  readonly #reading: FindingReading;
  readonly #retention: FindingRetention;
  /** As they were reported last, and not entered into the index yet. */
  readonly #reported = new Map<string, Finding>();
  /** Entered, and not on a volume as they are now. */
  readonly #unwritten = new Map<string, Finding>();
  /** When those that last were written last. */
  readonly #writtenUs = new Map<string, number>();
  #timers: ClockTimer[] = [];
  #listening: { close(): void } | undefined;
  /** One work with the volumes at a time. */
  #work: Promise<void> = Promise.resolve();
  /** What was reported is entered one after the other, beside that work: no search waits for a volume. */
  #entering: Promise<void> = Promise.resolve();
  #loaded: Promise<void> = Promise.resolve();
  #isBusy = false;
  #lost = 0;
  /** So many of the lost are in the log. */
  #reportedLost = 0;
  /** Volumes, and the index, that could not be written last. */
  readonly #failing = new Set<string>();

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
      onRead: (day, channelId) => this.#reportAgain(day, channelId),
      clock,
      log,
    });
    this.#retention = new FindingRetention({
      ...{ index: this.#index, volumes, kept: options.kept, clock, log },
      bytesMax: options.volumeBytesMax,
    });
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
    await endsWithin(this.flush(), { clock: this.#options.clock, ms: STOP_WAIT_MS });
  }

  state(): FindingStoreState {
    let waiting = 0;
    for (const { isLasting } of this.#unwritten.values()) if (!isLasting) waiting += 1;
    const lost = this.#lost + this.#options.lasting.refused;
    return { unread: this.#reading.unread, waiting, lost, isFailing: this.#failing.size > 0 };
  }

  /** Resolves when all volumes in use have been compared with the index. */
  read(): Promise<void> {
    return this.#reading.whole();
  }

  async search(query: FindingQuery): Promise<FindingPage> {
    await this.#loaded;
    if (this.#reported.size > 0) await this.#enter();
    const page = await searchFindings(this.#index, query);
    return { ...page, findings: page.findings.map((finding) => this.#asItIs(finding)) };
  }

  /** All lines of a channel's day on the volumes in use, volume by volume, as far as the index knows of them; undefined: there are none. */
  async linesOf(channelId: Guid, day: string, bytesMax: number): Promise<Uint8Array | undefined> {
    await this.#loaded;
    const having = new Set<string>();
    for await (const { volumeId } of this.#index.sections(day, (one) => one === channelId))
      having.add(volumeId);
    const found: Uint8Array[] = [];
    let leftBytes = bytesMax;
    const volumes = this.#options.volumes.inUse().toSorted((one, other) => (one.id < other.id ? -1 : 1));
    for (const volume of volumes) {
      if (!having.has(volume.id)) continue;
      const lines = await readLines(volume, findingFile(channelId, day), leftBytes);
      leftBytes -= lines.byteLength;
      if (lines.byteLength > 0) found.push(lines);
    }
    return found.length === 0 ? undefined : Buffer.concat(found);
  }

  /** A finding with its path; undefined: there is none. */
  async get(id: string): Promise<Finding | undefined> {
    const position = readFindingId(id);
    if (position === undefined) return undefined;
    await this.#loaded;
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

  /** Writes what is to be written, forgets what the recordings have left, and writes the index. */
  flush(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#write();
      await this.#save();
    });
  }

  #note(finding: Finding): void {
    this.#reported.set(finding.id, finding);
    const [oldest] = this.#reported.size > this.#waitingMax ? this.#reported.values() : [];
    if (oldest === undefined) return;
    this.#reported.delete(oldest.id);
    this.#lose(oldest);
  }

  get #waitingMax(): number {
    return this.#options.waitingMax ?? WAITING_MAX;
  }

  /** One that lasts is reported again. */
  #lose({ isLasting }: Finding): void {
    if (!isLasting) this.#lost += 1;
  }

  #reportLost(): void {
    const { lost } = this.state();
    const findings = lost - this.#reportedLost;
    this.#reportedLost = lost;
    if (findings > 0)
      this.#options.log.error(
        { findings },
        "findings were not kept: too many last at a time, wait for a volume, or are of one channel and day",
      );
  }

  /** A file was read into the index: what is not in it yet is entered again. */
  #reportAgain(day: string, channelId: Guid): void {
    const isRead = isOf(channelId, day);
    for (const finding of this.#unwritten.values())
      if (isRead(finding) && !this.#reported.has(finding.id)) this.#reported.set(finding.id, finding);
  }

  /** As it was reported last, if it is not over or not yet on a volume. */
  #now(id: string): Finding | undefined {
    const channelId = readFindingId(id)?.channelId;
    const lasting = this.#options.lasting.lasting(channelId).find((one) => one.id === id);
    return lasting ?? this.#reported.get(id) ?? this.#unwritten.get(id);
  }

  /** What the last run left open is over; what lasts is as it was seen last. */
  #asItIs(finding: Finding): Finding {
    if (!finding.isLasting) return finding;
    const now = this.#now(finding.id);
    return now === undefined ? { ...finding, isLasting: false } : { ...now, path: [] };
  }

  async #inTurn(run: () => Promise<void>): Promise<void> {
    const before = this.#work;
    const turn = before.then(run).catch((error: unknown) => this.#logFault(INDEX, error));
    this.#work = turn;
    await turn;
  }

  #logFault(where: string, error: unknown): void {
    if (this.#failing.has(where)) return;
    this.#failing.add(where);
    const at = where === INDEX ? {} : { volume: where };
    this.#options.log.error(
      { ...at, error: errorText(error) },
      "findings cannot be kept at the moment: trying again",
    );
  }

  #logRecovery(where: string): void {
    if (this.#failing.delete(where) && this.#failing.size === 0)
      this.#options.log.info({}, "findings are kept again");
  }

  #writeSoon(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    void this.#inTurn(() => this.#write()).finally(() => {
      this.#isBusy = false;
    });
  }

  async #save(): Promise<void> {
    this.#reportLost();
    await this.#retention.turn();
    await this.#index.save(dayAfter(dayOf(this.#options.clock.nowUs()), -1));
    this.#logRecovery(INDEX);
  }

  /** Enters what was reported into the index, so that it is found; it is on no volume yet. */
  async #enter(): Promise<void> {
    this.#entering = this.#entering
      .then(() => this.#enterReported())
      .catch((error: unknown) => this.#logFault(INDEX, error));
    await this.#entering;
  }

  async #enterReported(): Promise<void> {
    let entered = 0;
    for (const finding of [...this.#reported.values()]) {
      entered += 1;
      if (entered % TURN_FINDINGS === 0) await setImmediate();
      const day = dayOf(finding.beginUs);
      const section = await this.#sectionOf(finding, day);
      // Reported again meanwhile: that comes next.
      if (this.#reported.get(finding.id) === finding) this.#reported.delete(finding.id);
      if (!section.rows.put(finding)) {
        this.#lose(finding);
        continue;
      }
      this.#index.noteChange(day);
      this.#unwritten.set(finding.id, finding);
    }
    await this.#boundWaiting();
  }

  async #boundWaiting(): Promise<void> {
    for (const [id, finding] of this.#unwritten) {
      if (this.#unwritten.size <= this.#waitingMax) return;
      this.#unwritten.delete(id);
      this.#writtenUs.delete(id);
      await this.#giveUp([finding]);
    }
  }

  async #giveUp(findings: readonly Finding[]): Promise<void> {
    for (const finding of findings) {
      this.#lose(finding);
      await this.#index.giveUp(finding);
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
    const faults = new Map<Guid, unknown>();
    const asked = new Set<Guid>();
    for (const file of this.#dueFiles()) {
      const volume = this.#volumeFor(file.channelId);
      // All that is asked of one that is silent would wait as long.
      if (volume === undefined || isSilence(faults.get(volume.id))) continue;
      asked.add(volume.id);
      try {
        await this.#writeFile(volume, file);
      } catch (error) {
        faults.set(volume.id, error);
        if (isShort(error)) this.#reading.again(volume.id);
      }
    }
    for (const [id, error] of faults) this.#logFault(id, error);
    const inUse = new Set(this.#options.volumes.inUse().map(({ id }) => id as string));
    for (const id of this.#failing)
      if (id !== INDEX && (!inUse.has(id) || (asked.has(id as Guid) && !faults.has(id as Guid))))
        this.#logRecovery(id);
  }

  /** What ended, and what has lasted for long enough. */
  #dueFiles(): Iterable<DueFile> {
    const nowUs = this.#options.clock.nowUs();
    const files = new Map<string, DueFile>();
    for (const finding of this.#unwritten.values()) {
      const { id, channelId, beginUs, isLasting } = finding;
      const dueUs =
        (this.#writtenUs.get(id) ?? beginUs + LASTING_FIRST_US - LASTING_AGAIN_US) + LASTING_AGAIN_US;
      if (isLasting && nowUs < dueUs) continue;
      const day = dayOf(beginUs);
      const path = findingFile(channelId, day);
      const file = files.get(path) ?? { channelId, day, findings: [] };
      file.findings.push(finding);
      files.set(path, file);
    }
    return files.values();
  }

  async #writeFile(volume: SideFiles, { channelId, day, findings: all }: DueFile): Promise<void> {
    const path = findingFile(channelId, day);
    const latest = (finding: Finding): Finding => this.#unwritten.get(finding.id) ?? finding;
    for (let at = 0; at < all.length; at += TURN_FINDINGS) {
      const findings = all.slice(at, at + TURN_FINDINGS);
      const section = await this.#index.section(day, channelId, volume.id);
      if (hasRoom(section, findings.length))
        await appendFindings(volume, path, section, { findings, latest });
      else await this.#giveUp(findings);
      this.#index.noteChange(day);
      for (const finding of findings) this.#noteWritten(finding);
    }
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
    if (!sections.some((one) => one.channelId === channelId && one.volumeId === NO_VOLUME)) return;
    const isWritten = isOf(channelId, day);
    for (const finding of this.#unwritten.values()) if (isWritten(finding)) return;
    await this.#index.drop(day, { channelId, volumeId: NO_VOLUME });
  }
}

/** Whether a finding is one of a channel and day. */
function isOf(channelId: Guid, day: string): (finding: Finding) => boolean {
  const fromUs = dayBeginUs(day);
  return (finding) =>
    finding.channelId === channelId && finding.beginUs >= fromUs && finding.beginUs < fromUs + US_PER_DAY;
}
