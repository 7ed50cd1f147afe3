import path from "node:path";
import {
  errorText,
  type Guid,
  type Log,
  NvrdError,
  parseGuid,
  readKeptTwice,
  replaceKeptTwice,
} from "../base/index.js";
import { SITE_LIMITS } from "../site/index.js";

/** In the data directory: which channels users have switched on. */
export const MANUAL_SWITCHES_FILE = "manual-recording.json";
const FORMAT_VERSION = 1;

/** Who switched a channel's recording on, and when. */
export interface ManualSwitch {
  readonly userId: Guid;
  readonly userName: string;
  /** Unix microseconds. */
  readonly sinceUs: number;
}

export interface ManualSwitchesOptions {
  readonly dataDir: string;
  readonly log: Log;
}

/**
 * The channels whose recording users have switched on. A small file of the data directory, so that recording continues after a
 * restart. It is not part of the configuration, whose revisions hold administrators' decisions.
 */
export class ManualSwitches {
  readonly #file: string;
  readonly #log: Log;
  #switches = new Map<Guid, ManualSwitch>();
  #saving: Promise<boolean> = Promise.resolve(true);

  constructor(options: ManualSwitchesOptions) {
    this.#file = path.join(options.dataDir, MANUAL_SWITCHES_FILE);
    this.#log = options.log;
  }

  /** Reads the stored list; ignores a file that is damaged or of a newer nvrd. */
  start(): void {
    const parse = (text: string) => parseSwitches(text, this.#file);
    const kept = readKeptTwice(this.#file, parse, (path, error) =>
      this.#log.error({ path }, `a list of channels switched on by hand is lost: ${errorText(error)}`),
    );
    if (kept !== undefined) this.#switches = kept;
  }

  /** Resolves when all changes are saved, or saving has failed. */
  async stop(): Promise<void> {
    await this.#saving;
  }

  of(channelId: Guid): ManualSwitch | undefined {
    return this.#switches.get(channelId);
  }

  /** Switches a channel on, or off without `by`, at once. Resolves with whether that survives a restart. */
  set(channelId: Guid, by: ManualSwitch | undefined): Promise<boolean> {
    if (by === undefined && !this.#switches.delete(channelId)) return this.#saving;
    if (by !== undefined) this.#switches.set(channelId, by);
    return this.#save();
  }

  /** Switches every channel off that `keep` does not want. */
  retain(keep: (channelId: Guid) => boolean): void {
    for (const channelId of [...this.#switches.keys()]) if (!keep(channelId)) this.set(channelId, undefined);
  }

  /** In the order of the calls; the system disk may be full, recording continues. */
  #save(): Promise<boolean> {
    const channels = Object.fromEntries(this.#switches);
    const text = `${JSON.stringify({ formatVersion: FORMAT_VERSION, channels })}\n`;
    this.#saving = this.#saving
      .then(() => replaceKeptTwice(this.#file, text))
      .then(
        () => true,
        (error: unknown) => {
          this.#log.error({ path: this.#file }, `cannot be saved: ${errorText(error)}`);
          return false;
        },
      );
    return this.#saving;
  }
}

function parseSwitches(text: string, file: string): Map<Guid, ManualSwitch> {
  const data: unknown = JSON.parse(text);
  if (!isRecord(data)) throw new SyntaxError("it is not an object");
  if (Number(data.formatVersion) > FORMAT_VERSION)
    throw new NvrdError("FORMAT_NEWER", `${file} has format ${String(data.formatVersion)}`);
  if (!isRecord(data.channels)) throw new SyntaxError("it has no channels");
  const switches = new Map<Guid, ManualSwitch>();
  for (const [id, value] of Object.entries(data.channels).slice(0, SITE_LIMITS.camerasMax)) {
    const channelId = parseGuid(id);
    const by = readSwitch(value);
    if (channelId === undefined || by === undefined) throw new SyntaxError("a channel's entry is malformed");
    switches.set(channelId, by);
  }
  return switches;
}

function readSwitch(value: unknown): ManualSwitch | undefined {
  if (!isRecord(value)) return undefined;
  const { userId, userName, sinceUs } = value;
  if (typeof userId !== "string" || parseGuid(userId) === undefined) return undefined;
  if (typeof userName !== "string" || userName.length > SITE_LIMITS.nameLengthMax) return undefined;
  if (typeof sinceUs !== "number" || !Number.isSafeInteger(sinceUs)) return undefined;
  return { userId, userName, sinceUs };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
