import path from "node:path";
import {
  errorText,
  LANGUAGES,
  type Language,
  type Log,
  localZoneName,
  NvrdError,
  readSmallFile,
  replaceSmallFile,
} from "../../base/index.js";
import type { FirstRun } from "../../owner/index.js";

/** In the data directory. */
const FILE = "first-run.json";

export interface OwnerChoicesOptions {
  readonly dataDir: string;
  /** The setting. */
  readonly language: Language;
  /** Who decides on the time zone; the setting `timeZoneChoice`. */
  readonly timeZoneChoice: "machine" | "owner";
  /** The process's environment: `TZ` is read and set. */
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Log;
}

/** A choice, and the value of the setting that it replaces: another value there is a later word. */
interface Choice {
  readonly value: string;
  readonly insteadOf: string;
}

interface Kept {
  readonly language?: Choice | undefined;
  readonly timeZone?: Choice | undefined;
  readonly isGoing?: boolean | undefined;
}

/**
 * What the owner of a box chose at the first run, kept in the data directory. Between the owner's choice and a setting the later
 * word counts: a choice holds as long as the setting is what it was when the choice was made.
 */
export class OwnerChoices implements FirstRun {
  readonly #options: OwnerChoicesOptions;
  readonly #file: string;
  /** `TZ` as the service was started with. */
  readonly #givenZone: string;
  #kept: Kept;

  /** Reads the file, and sets the time zone of the process. A file that cannot be read counts as none. */
  constructor(options: OwnerChoicesOptions) {
    this.#options = options;
    this.#file = path.join(options.dataDir, FILE);
    this.#givenZone = options.environment.TZ ?? "";
    this.#kept = this.#read();
    const { timeZone } = this.#kept;
    if (this.canChooseTimeZone && timeZone !== undefined && timeZone.insteadOf === this.#givenZone)
      options.environment.TZ = timeZone.value;
  }

  get language(): Language {
    const { language: setting } = this.#options;
    const { language } = this.#kept;
    if (language === undefined || language.insteadOf !== setting) return setting;
    return LANGUAGES.find((known) => known === language.value) ?? setting;
  }

  get timeZone(): string {
    return localZoneName();
  }

  get canChooseTimeZone(): boolean {
    return this.#options.timeZoneChoice === "owner";
  }

  get isGoing(): boolean {
    return this.#kept.isGoing === true;
  }

  async choose(choice: Parameters<FirstRun["choose"]>[0]): Promise<void> {
    const { language, timeZone, isGoing } = choice;
    if (timeZone !== undefined && !this.canChooseTimeZone)
      throw new NvrdError("NOT_SUPPORTED", "the time zone is the machine's");
    const { environment, language: setting, log } = this.#options;
    const kept: Kept = {
      ...this.#kept,
      ...(language === undefined ? {} : { language: { value: language, insteadOf: setting } }),
      ...(timeZone === undefined ? {} : { timeZone: { value: timeZone, insteadOf: this.#givenZone } }),
      ...(isGoing === undefined ? {} : { isGoing }),
    };
    await replaceSmallFile(this.#file, `${JSON.stringify(kept, null, 2)}\n`);
    this.#kept = kept;
    if (timeZone !== undefined) environment.TZ = timeZone;
    log.info({ language, timeZone, isGoing }, "the owner's choices of the first run are kept");
  }

  #read(): Kept {
    try {
      const data: unknown = JSON.parse(readSmallFile(this.#file) ?? "{}");
      return keptOf(data);
    } catch (error) {
      this.#options.log.error(
        { file: this.#file, error: errorText(error) },
        "the owner's choices of the first run cannot be read: the settings count",
      );
      return {};
    }
  }
}

function keptOf(data: unknown): Kept {
  if (typeof data !== "object" || data === null) return {};
  const given = data as Readonly<Record<string, unknown>>;
  return {
    language: choiceOf(given.language),
    timeZone: choiceOf(given.timeZone),
    isGoing: given.isGoing === true,
  };
}

function choiceOf(data: unknown): Choice | undefined {
  if (typeof data !== "object" || data === null || !("value" in data) || !("insteadOf" in data))
    return undefined;
  const { value, insteadOf } = data;
  return typeof value === "string" && typeof insteadOf === "string" ? { value, insteadOf } : undefined;
}
