import path from "node:path";
import * as v from "valibot";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Log,
  readSmallFile,
  replaceSmallFile,
} from "../base/index.js";
import type { Journal, UpdateRecord } from "./journal.js";

/** How often the journal is looked at. */
export const WATCH_INTERVAL_MS = 2000;
/** Its name in the service's data directory. */
export const TOLD_FILE = "update-told.json";
/** What is told of an update, in the order in which it happens. */
export const TOLD_PHASES = ["installed", "kept", "rolledBack", "failed"] as const;
export type ToldPhase = (typeof TOLD_PHASES)[number];

const toldSchema = v.object({ id: v.string(), phases: v.array(v.picklist(TOLD_PHASES)) });
type Told = v.InferOutput<typeof toldSchema>;

export interface UpdateWatchOptions {
  readonly journal: Pick<Journal, "read">;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called once for each phase of an update, over all restarts. */
  readonly tell: (phase: ToldPhase, update: UpdateRecord) => void;
}

/** Tells of what root's units write into the journal, once each. */
export class UpdateWatch {
  readonly #options: UpdateWatchOptions;
  #told: Told = { id: "", phases: [] };
  #timer: ClockTimer | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(options: UpdateWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#told = this.#load();
    this.look();
    this.#timer = this.#options.clock.setInterval(() => this.look(), WATCH_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.#timer?.clear();
    this.look();
    await this.#saving;
  }

  look(): void {
    const { update } = this.#options.journal.read();
    if (update === null) return;
    if (this.#told.id !== update.id) this.#told = { id: update.id, phases: [] };
    for (const phase of phasesUpTo(update)) {
      if (this.#told.phases.includes(phase)) continue;
      this.#told = { id: update.id, phases: [...this.#told.phases, phase] };
      this.#options.tell(phase, update);
      this.#save();
    }
  }

  #load(): Told {
    try {
      return v.parse(toldSchema, JSON.parse(readSmallFile(this.#file) ?? '{"id":"","phases":[]}'));
    } catch (error) {
      this.#options.log.warn(
        { error: errorText(error) },
        "what was told of updates is not known: it is told again",
      );
      return { id: "", phases: [] };
    }
  }

  #save(): void {
    const text = `${JSON.stringify(this.#told)}\n`;
    this.#saving = this.#saving
      .then(() => replaceSmallFile(this.#file, text))
      .catch((error: unknown) =>
        this.#options.log.warn({ error: errorText(error) }, "what was told of updates cannot be kept"),
      );
  }

  get #file(): string {
    return path.join(this.#options.dataDir, TOLD_FILE);
  }
}

/** What has happened when an update is in its phase: a restart may have come before anybody looked. */
function phasesUpTo({ phase }: UpdateRecord): readonly ToldPhase[] {
  switch (phase) {
    case "installed":
    case "trial":
    case "rejected":
      return ["installed"];
    case "kept":
      return ["installed", "kept"];
    case "rolledBack":
      return ["installed", "rolledBack"];
    case "failed":
      return ["failed"];
    default:
      return [];
  }
}
