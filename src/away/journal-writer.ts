import { type Clock, type ClockTimer, type Log, MS_PER_SECOND } from "../base/index.js";
import type { DayJournal } from "./plan/day-journal.js";
import { appendAll } from "./send/appends.js";
import type { Append } from "./send/send-messages.js";
import type { Sender } from "./send/sender.js";

/** Lines wait so long for those of other journals. What a kill takes is sent again, as after a power cut. */
const WRITE_AFTER_MS = MS_PER_SECOND;

export interface JournalWriterOptions {
  readonly sender: Pick<Sender, "run">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Writes the lines of a target's journals, those of all together, on the sending thread: a disk that hangs holds nothing else. */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  readonly #journals = new Set<DayJournal>();
  #timer: ClockTimer | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isStopped = false;
  #isFailureLogged = false;

  constructor(options: JournalWriterOptions) {
    this.#options = options;
  }

  /** A journal has new lines. */
  readonly later = (journal: DayJournal): void => {
    this.#journals.add(journal);
    if (!this.#isStopped) this.#timer ??= this.#options.clock.setTimeout(() => this.#begin(), WRITE_AFTER_MS);
  };

  /** Writes what is left, here: the sending thread has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.clear();
    this.#begin();
    await this.#writing;
  }

  #begin(): void {
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
  }

  async #write(): Promise<void> {
    const journals = [...this.#journals];
    this.#journals.clear();
    const taken = journals.map((journal) => ({ journal, file: journal.file, text: journal.takeLines() }));
    const appends = taken.filter(({ text }) => text !== "");
    if (appends.length === 0) return;
    const problems = await this.#append(appends.map(({ file, text }) => ({ file, text })));
    for (const [at, { journal }] of appends.entries()) {
      journal.written(problems[at]);
      // With the next lines of any day.
      if (problems[at] !== undefined) this.#journals.add(journal);
    }
    this.#logFailure(problems.find((problem) => problem !== undefined));
  }

  /** For each why it was not written; undefined: it was. */
  async #append(appends: readonly Append[]): Promise<readonly (string | undefined)[]> {
    if (this.#isStopped) return await appendAll(appends);
    try {
      return await this.#options.sender.run({ op: "append", appends });
    } catch {
      // The thread has ended, which its other work reports. It may have written them: to know a line twice changes nothing.
      return await appendAll(appends);
    }
  }

  #logFailure(problem: string | undefined): void {
    if (problem !== undefined && !this.#isFailureLogged)
      this.#options.log.warn(
        { error: problem },
        "what was sent cannot be noted: after a restart some of it may be sent again",
      );
    this.#isFailureLogged = problem !== undefined;
  }
}
