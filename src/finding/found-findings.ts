import { type Clock, type ClockTimer, endsWithin, errorText, type Guid, type Log } from "../base/index.js";
import { type Finding, readFindingId } from "./finding.js";
import { type FindingFiles, findingFile, readFinding } from "./finding-files.js";
import { dayAfter, dayOf, FindingIndex } from "./finding-index.js";
import { FindingReading } from "./finding-reading.js";
import { type FindingPage, type FindingQuery, searchFindings } from "./finding-search.js";

/** Between two times that the index is written. What a crash loses of it is read again. */
const SAVE_INTERVAL_MS = 300_000;
const STOP_WAIT_MS = 5_000;

export interface FoundFindingsOptions {
  /** Of the index. */
  readonly directory: string;
  readonly id: Guid;
  /** The files as they are now: other ones are compared with the index. Undefined: they are not known yet. */
  readonly files: () => FindingFiles | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Findings that other recorders wrote, to be searched. They are read into an index, a cache, and never written. */
export class FoundFindings {
  readonly #options: FoundFindingsOptions;
  readonly #index: FindingIndex;
  readonly #reading: FindingReading;
  #timer: ClockTimer | undefined;
  #work: Promise<void> = Promise.resolve();
  #loaded: Promise<void> = Promise.resolve();
  #isFailing = false;

  constructor(options: FoundFindingsOptions) {
    this.#options = options;
    const { directory, id, files, clock, log } = options;
    const onDamaged = (): void => this.#reading.again(id);
    this.#index = new FindingIndex({ directory, onDamaged, log });
    this.#reading = new FindingReading({
      index: this.#index,
      volumes: { inUse: () => [files() ?? []].flat(), knownIds: () => [id] },
      inTurn: (run) => this.#inTurn(run),
      onRead: () => undefined,
      ...{ clock, log },
    });
  }

  start(): void {
    this.#loaded = this.#inTurn(() => this.#index.load());
    this.#timer = this.#options.clock.setInterval(() => void this.#save(), SAVE_INTERVAL_MS);
    this.#reading.start();
  }

  async stop(): Promise<void> {
    this.#timer?.clear();
    this.#reading.stop();
    await endsWithin(this.#save(), { clock: this.#options.clock, ms: STOP_WAIT_MS });
  }

  /** As of a recorder's own findings: nothing waits to be written, and nothing is lost. */
  state() {
    const unread = this.#reading.unread;
    return {
      unread: this.#reading.wasRead(this.#options.id) ? unread : Math.max(1, unread),
      ...{ waiting: 0, lost: 0, isFailing: this.#isFailing },
    };
  }

  /** Resolves when the files have been compared with the index, and what it lacked was read. */
  read(): Promise<void> {
    return this.#reading.whole();
  }

  async search(query: FindingQuery): Promise<FindingPage> {
    await this.#loaded;
    const page = await searchFindings(this.#index, query);
    return { ...page, findings: page.findings.map(asSeenLast) };
  }

  /** A finding with its path, where its file can be read; undefined: there is none. */
  async get(id: string): Promise<Finding | undefined> {
    const position = readFindingId(id);
    if (position === undefined) return undefined;
    await this.#loaded;
    const { channelId, beginUs } = position;
    const day = dayOf(beginUs);
    for await (const { rows } of this.#index.sections(day, (one) => one === channelId)) {
      const row = rows.rowOf(beginUs);
      if (row === undefined) continue;
      const files = this.#options.files();
      const path = findingFile(channelId, day);
      const whole =
        files === undefined ? undefined : await readFinding(files, path, channelId, rows.place(row));
      return asSeenLast(whole ?? rows.finding(row));
    }
    return undefined;
  }

  async #save(): Promise<void> {
    await this.#inTurn(() => this.#index.save(dayAfter(dayOf(this.#options.clock.nowUs()), -1)));
  }

  /** One work with the index at a time. Never rejects. */
  async #inTurn(run: () => Promise<void>): Promise<void> {
    const turn = this.#work.then(run).then(
      () => {
        this.#isFailing = false;
      },
      (error: unknown) => this.#logFault(error),
    );
    this.#work = turn;
    await turn;
  }

  #logFault(error: unknown): void {
    if (!this.#isFailing)
      this.#options.log.error(
        { error: errorText(error) },
        "the index of findings cannot be kept at the moment: trying again",
      );
    this.#isFailing = true;
  }
}

/** What lasted when it was sent may have ended since: the next reading says so. */
function asSeenLast(finding: Finding): Finding {
  return finding.isLasting ? { ...finding, isLasting: false } : finding;
}
