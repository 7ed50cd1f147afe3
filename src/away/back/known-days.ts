import * as v from "valibot";
import type { Clock, Guid, Log } from "../../base/index.js";
import { KeptFile, keptGuid, keptKind } from "../../kept/index.js";

const SAVE_AFTER_MS = 2_000;
const NAME_LENGTH_MAX = 256;
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const schema = v.object({
  place: v.string(),
  days: v.record(v.string(), whole),
  /** By channel; of earlier versions none is known. */
  names: v.optional(
    v.record(keptGuid, v.object({ name: v.pipe(v.string(), v.maxLength(NAME_LENGTH_MAX)), day: v.string() })),
    {},
  ),
});

/** In the folder of a bucket that is read. */
export const KNOWN_DAYS_KIND = keptKind({
  name: "known-days.json",
  folder: "away/…/",
  says: "which manifests of a bucket were read, and the names of its channels",
  policy: "rebuild",
  damaged: "manifests are read again",
  unsaved: "which manifests were read cannot be saved",
  severity: "warn",
  schema,
  delayMs: SAVE_AFTER_MS,
});

export interface KnownDaysOptions {
  readonly directory: string;
  /** The bucket and the place in it. */
  readonly place: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Which manifest of each channel and day the catalogue has taken: `<channel>/<day>` and revision, and what the newest one calls the
 * channel. Without the file all are read again.
 */
export class KnownDays {
  readonly #place: string;
  readonly #file: KeptFile<typeof schema>;
  #days = new Map<string, number>();
  /** By channel, with the day that gives it; empty where that gives none. */
  #channelNames = new Map<Guid, { readonly name: string; readonly day: string }>();

  constructor({ directory, place, clock, log }: KnownDaysOptions) {
    this.#place = place;
    const content = () => ({
      place,
      days: Object.fromEntries(this.#days),
      names: Object.fromEntries(this.#channelNames),
    });
    this.#file = new KeptFile(KNOWN_DAYS_KIND, { directory, clock, log, content });
  }

  /** Whether what was learnt before is of this place. */
  start(): boolean {
    const { place, days = {}, names = {} } = this.#file.read() ?? {};
    if (place !== this.#place) return false;
    this.#days = new Map(Object.entries(days));
    this.#channelNames = new Map(Object.entries(names));
    this.#forgetNameless();
    return true;
  }

  /** The newest manifest of a channel without a name is read again. */
  #forgetNameless(): void {
    const newest = new Map<Guid, string>();
    for (const name of [...this.#days.keys()].sort()) newest.set(name.split("/")[0] ?? "", name);
    for (const [channelId, name] of newest) if (!this.#channelNames.has(channelId)) this.#days.delete(name);
  }

  async stop(): Promise<void> {
    await this.#file.flush();
  }

  get names(): readonly string[] {
    return [...this.#days.keys()];
  }

  revisionOf(name: string): number {
    return this.#days.get(name) ?? 0;
  }

  /** `channelName`: that of the day's manifest. The newest day counts. */
  note(name: string, revision: number, channelName: string): void {
    const [channelId = "", day = ""] = name.split("/");
    if (day >= (this.#channelNames.get(channelId)?.day ?? ""))
      this.#channelNames.set(channelId, { name: channelName.slice(0, NAME_LENGTH_MAX), day });
    this.#days.set(name, revision);
    this.#file.changed();
  }

  /** Undefined where its manifests give none. */
  channelName(channelId: Guid): string | undefined {
    return this.#channelNames.get(channelId)?.name || undefined;
  }

  forget(name: string): void {
    if (this.#days.delete(name)) this.#file.changed();
  }
}
