import { type Clock, errorText, type Log, newGuid } from "../../base/index.js";
import type { Handover } from "./handover.js";
import type { HealthGate } from "./health-gate.js";
import { otherSlot } from "./installer.js";
import { type Journal, journalText, type UpdateRecord } from "./journal.js";
import type { BootState, SlotSystem } from "./types.js";

export interface BootAgentOptions {
  readonly journal: Journal;
  readonly handover: Pick<Handover, "request">;
  readonly slots: SlotSystem;
  readonly gate: Pick<HealthGate, "judge">;
  readonly clock: Clock;
  readonly log: Log;
}

export type BootOutcome = "nothing" | "restarted" | "kept" | "rolledBack" | "rejected" | "failed";

/** Phases that a boot of the other slot ends. */
const AWAITING_BOOT: readonly UpdateRecord["phase"][] = ["installing", "installed", "trial", "rejected"];

/** Runs once per boot: records the outcome of an update in the journal, and judges a system on trial. */
export class BootAgent {
  readonly #options: BootAgentOptions;

  constructor(options: BootAgentOptions) {
    this.#options = options;
  }

  /** Rejects if the boot loader or the journal cannot be read: then the machine's own deadline ends the trial. */
  async run(): Promise<BootOutcome> {
    const { slots } = this.#options;
    const boot = await slots.bootState();
    if (boot.onTrial) return await this.#try(boot);
    return boot.awaitsTry ? await this.#restartIntoTrial(boot) : await this.#settle(boot);
  }

  /** Power was lost between the installation and the restart, and this firmware does not continue by itself. */
  async #restartIntoTrial(boot: BootState): Promise<BootOutcome> {
    const { journal, slots, log } = this.#options;
    await this.#write(boot, journal.read().update);
    log.info({ slot: otherSlot(boot.slot) }, "a version is waiting for its trial: restarting into it");
    await slots.restart();
    return "restarted";
  }

  async #try(boot: BootState): Promise<BootOutcome> {
    const { journal, slots, gate, log } = this.#options;
    const { update } = journal.read();
    const isOurs = update !== null && update.toSlot === boot.slot && AWAITING_BOOT.includes(update.phase);
    const former = isOurs ? update : this.#recordWithoutRequest(boot);
    const record = { ...former, toVersion: boot.version };
    await this.#write(boot, {
      ...record,
      phase: "trial",
      percent: null,
      message: "the health gate checks it",
    });
    const verdict = await gate.judge(record.before);
    if (!verdict.good) {
      log.error(
        { version: boot.version, reason: verdict.reason },
        "the update is rejected: restarting into the previous version",
      );
      await this.#write(boot, {
        ...record,
        phase: "rejected",
        percent: null,
        message: journalText(verdict.reason),
      });
      await slots.markBad();
      await slots.restart();
      return "rejected";
    }
    await slots.markGood();
    await this.#write(boot, { ...record, phase: "kept", percent: null, message: "" });
    log.info({ version: boot.version }, "the update is kept");
    return "kept";
  }

  /** The slot is marked good: a pending update has ended, one way or the other. */
  async #settle(boot: BootState): Promise<BootOutcome> {
    const { journal, log } = this.#options;
    const { update } = journal.read();
    const ended = update === null ? undefined : await this.#ended(update, boot);
    await this.#write(boot, ended ?? update);
    if (ended === undefined) return "nothing";
    log.warn({ phase: ended.phase, reason: ended.message }, "the update has ended");
    return ended.phase === "kept" || ended.phase === "failed" ? ended.phase : "rolledBack";
  }

  /** How the update ended; undefined if it has not, or ended before this boot. */
  async #ended(update: UpdateRecord, boot: BootState): Promise<UpdateRecord | undefined> {
    if (!AWAITING_BOOT.includes(update.phase)) return undefined;
    if (update.toSlot === boot.slot && update.phase !== "installing")
      // It was marked good, and power was lost before the journal recorded that.
      return { ...update, phase: "kept", percent: null, message: "" };
    if (update.phase === "installing") {
      if ((await this.#options.handover.request())?.id === update.id) return undefined; // root's unit begins again
      return { ...update, phase: "failed", percent: null, message: "the installation was interrupted" };
    }
    const message = update.phase === "rejected" ? update.message : NOT_UP;
    return { ...update, phase: "rolledBack", percent: null, message };
  }

  /** Installed without the service, as by `rauc install`: what recorded before is unknown. */
  #recordWithoutRequest(boot: BootState): UpdateRecord {
    const { journal, clock } = this.#options;
    return {
      id: newGuid(),
      phase: "trial",
      fromVersion: journal.read().box?.version ?? "",
      toVersion: boot.version,
      fromSlot: otherSlot(boot.slot),
      toSlot: boot.slot,
      message: "",
      percent: null,
      sinceUs: Math.floor(clock.nowUs()),
      attempts: 1,
      before: { channels: [], volumes: [] },
    };
  }

  /** A failure to write the journal is only logged: a healthy system is not given up because of it. */
  async #write({ slot, compatible, version }: BootState, update: UpdateRecord | null): Promise<void> {
    const { journal, clock, log } = this.#options;
    const former = journal.read().update;
    const isSame = update !== null && former?.id === update.id && former.phase === update.phase;
    const sinceUs = isSame ? former.sinceUs : Math.floor(clock.nowUs());
    try {
      await journal.write({ box: { slot, compatible, version }, update: update && { ...update, sinceUs } });
    } catch (error) {
      log.error({ error: errorText(error) }, "the journal of updates cannot be written");
    }
  }
}

const NOT_UP = "the new version did not start, or power was lost during its trial";
