import * as v from "valibot";
import type { Clock, ClockTimer, Log } from "../../base/index.js";
import { KeptFile, keptKind } from "../../kept/index.js";
import type { Journal, UpdateRecord } from "./journal.js";

/** How often the journal is read. */
export const WATCH_INTERVAL_MS = 2000;
/** What is reported of an update, in the order in which it happens. */
export const REPORTED_PHASES = ["installed", "kept", "rolledBack", "failed"] as const;
export type ReportedPhase = (typeof REPORTED_PHASES)[number];

const reportedSchema = v.object({ id: v.string(), phases: v.array(v.picklist(REPORTED_PHASES)) });
type Reported = v.InferOutput<typeof reportedSchema>;

export const REPORTED_KIND = keptKind({
  name: "update-told.json",
  says: "what was reported of an update",
  policy: "forget",
  damaged: "what was reported of updates is not known: it is reported again",
  unsaved: "what was reported of updates cannot be saved",
  severity: "warn",
  mayLackVersion: true,
  schema: reportedSchema,
});

export interface UpdateWatchOptions {
  readonly journal: Pick<Journal, "read">;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called once for each phase of an update, over all restarts. */
  readonly report: (phase: ReportedPhase, update: UpdateRecord) => void;
}

/** Reports what root's units write to the journal, once each. */
export class UpdateWatch {
  readonly #options: UpdateWatchOptions;
  #reported: Reported = { id: "", phases: [] };
  #timer: ClockTimer | undefined;
  readonly #file: KeptFile<typeof reportedSchema>;

  constructor(options: UpdateWatchOptions) {
    this.#options = options;
    const { dataDir: directory, log } = options;
    this.#file = new KeptFile(REPORTED_KIND, { directory, log, content: () => this.#reported });
  }

  start(): void {
    this.#reported = this.#file.read() ?? { id: "", phases: [] };
    this.look();
    this.#timer = this.#options.clock.setInterval(() => this.look(), WATCH_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.#timer?.clear();
    this.look();
    await this.#file.flush();
  }

  look(): void {
    const { update } = this.#options.journal.read();
    if (update === null) return;
    if (this.#reported.id !== update.id) this.#reported = { id: update.id, phases: [] };
    for (const phase of phasesUpTo(update)) {
      if (this.#reported.phases.includes(phase)) continue;
      this.#reported = { id: update.id, phases: [...this.#reported.phases, phase] };
      this.#options.report(phase, update);
      this.#file.changed();
    }
  }
}

/** The events up to a phase: there may have been a restart before the journal was read. */
function phasesUpTo({ phase }: UpdateRecord): readonly ReportedPhase[] {
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
