import * as v from "valibot";
import { LANGUAGES, type Language, type Log, localZoneName, NvrdError } from "../../base/index.js";
import { KeptFile, keptKind } from "../../kept/index.js";
import type { FirstRun } from "../../owner/index.js";

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

/** A choice, and the value of the setting that it replaces: another value there is a later word. Each by itself. */
const choice = v.fallback(v.optional(v.object({ value: v.string(), insteadOf: v.string() })), undefined);
const fileSchema = v.object({
  language: choice,
  timeZone: choice,
  isGoing: v.fallback(v.optional(v.boolean()), undefined),
});
type Kept = Readonly<v.InferOutput<typeof fileSchema>>;

export const FIRST_RUN_KIND = keptKind({
  name: "first-run.json",
  says: "language and time zone that the owner chose",
  policy: "forget",
  damaged: "the owner's choices of the first run cannot be read: the settings count",
  mayLackVersion: true,
  schema: fileSchema,
  indent: 2,
});

/**
 * What the owner of a box chose at the first run, kept in the data directory. Between the owner's choice and a setting the later
 * word counts: a choice holds as long as the setting is what it was when the choice was made.
 */
export class OwnerChoices implements FirstRun {
  readonly #options: OwnerChoicesOptions;
  readonly #file: KeptFile<typeof fileSchema>;
  /** `TZ` as the service was started with. */
  readonly #givenZone: string;
  #kept: Kept;

  /** Reads the file, and sets the time zone of the process. A file that cannot be read counts as none. */
  constructor(options: OwnerChoicesOptions) {
    this.#options = options;
    this.#file = new KeptFile(FIRST_RUN_KIND, { directory: options.dataDir, log: options.log });
    this.#givenZone = options.environment.TZ ?? "";
    this.#kept = this.#file.read() ?? {};
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
    await this.#file.replace(kept);
    this.#kept = kept;
    if (timeZone !== undefined) environment.TZ = timeZone;
    log.info({ language, timeZone, isGoing }, "the owner's choices of the first run are kept");
  }
}
