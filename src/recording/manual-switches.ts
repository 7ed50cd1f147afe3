import * as v from "valibot";
import type { Guid, Log } from "../base/index.js";
import { KeptFile, keptGuid, keptKind } from "../kept/index.js";
import { SITE_LIMITS } from "../site/index.js";

/** In the data directory: which channels users have switched on. */
export const MANUAL_SWITCHES_FILE = "manual-recording.json";

const fileSchema = v.object({
  channels: v.record(
    keptGuid,
    v.object({
      userId: keptGuid,
      userName: v.pipe(v.string(), v.maxLength(SITE_LIMITS.nameLengthMax)),
      sinceUs: v.pipe(v.number(), v.safeInteger()),
    }),
  ),
});

export const MANUAL_SWITCHES_KIND = keptKind({
  name: MANUAL_SWITCHES_FILE,
  says: "channels switched on by hand",
  policy: "forget",
  damaged: "a list of channels switched on by hand is lost",
  schema: fileSchema,
  copies: 2,
});

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
  readonly #file: KeptFile<typeof fileSchema>;
  readonly #switches = new Map<Guid, ManualSwitch>();

  constructor({ dataDir, log }: ManualSwitchesOptions) {
    const content = () => ({ channels: Object.fromEntries(this.#switches) });
    this.#file = new KeptFile(MANUAL_SWITCHES_KIND, { directory: dataDir, log, content });
  }

  /** Reads the stored list; ignores a file that is damaged or of a newer nvrd. */
  start(): void {
    const kept = Object.entries(this.#file.read()?.channels ?? {}).slice(0, SITE_LIMITS.camerasMax);
    for (const [channelId, by] of kept) this.#switches.set(channelId, by);
  }

  /** Resolves when all changes are saved, or saving has failed. */
  async stop(): Promise<void> {
    await this.#file.flush();
  }

  of(channelId: Guid): ManualSwitch | undefined {
    return this.#switches.get(channelId);
  }

  /** Switches a channel on, or off without `by`, at once. Resolves with whether that survives a restart. */
  set(channelId: Guid, by: ManualSwitch | undefined): Promise<boolean> {
    if (by !== undefined) this.#switches.set(channelId, by);
    if (by !== undefined || this.#switches.delete(channelId)) this.#file.changed();
    return this.#file.flush();
  }

  /** Switches every channel off that `keep` does not want. */
  retain(keep: (channelId: Guid) => boolean): void {
    for (const channelId of [...this.#switches.keys()]) if (!keep(channelId)) this.set(channelId, undefined);
  }
}
