import type { UpdateState } from "../../box/update/index.js";
import type { TaskState } from "../../contract/answer/index.js";
import type { ObservedTask } from "../../task/index.js";

const PERCENT = 100;
const ENDED: Readonly<Partial<Record<UpdateState["phase"], TaskState>>> = {
  kept: "Done",
  rolledBack: "Failed",
  failed: "Failed",
};

/** The update of the whole system as a task; undefined while there was none. Its phases are those of `GET /api/update`. */
export class UpdateTask {
  #startedUs = 0;
  #isUnderWay = false;

  read(state: UpdateState): ObservedTask | undefined {
    const { phase, percent, message, version, fromVersion, sinceUs } = state;
    if (phase === "none") return undefined;
    const ended = ENDED[phase];
    const isUnderWay = ended === undefined;
    // An update has many phases, each with a time of its own, and one beginning.
    if (isUnderWay !== this.#isUnderWay && isUnderWay) this.#startedUs = sinceUs ?? 0;
    else if (this.#startedUs === 0) this.#startedUs = sinceUs ?? 0;
    this.#isUnderWay = isUnderWay;
    return {
      ...{ kind: "Update", state: ended ?? "Running", owner: undefined, subject: version ?? "" },
      progress: ended === "Done" ? 1 : percent === null ? undefined : percent / PERCENT,
      step: phase,
      startedUs: this.#startedUs,
      endedUs: isUnderWay ? undefined : (sinceUs ?? this.#startedUs),
      result: { Version: version, FromVersion: fromVersion },
      error: ended === "Failed" ? message || "the former version runs again" : undefined,
    };
  }
}
