import { type Clock, errorText, type Log } from "../../base/index.js";
import type { Handover, UpdateRequest } from "./handover.js";
import { type Journal, journalText, type UpdateRecord } from "./journal.js";
import type { BootState, SlotSystem } from "./types.js";

export interface InstallerOptions {
  readonly handover: Handover;
  readonly journal: Journal;
  readonly slots: SlotSystem;
  readonly clock: Clock;
  readonly log: Log;
}

/** Most attempts at an installation that power cuts interrupt. */
export const INSTALL_ATTEMPTS_MAX = 3;

/** How an installation ended. */
export type InstallOutcome = "nothing" | "installed" | "failed";

/** Root's part of an update: installs what the service has handed over, and restarts. */
export class Installer {
  readonly #options: InstallerOptions;

  constructor(options: InstallerOptions) {
    this.#options = options;
  }

  /**
   * Executes the request, if any. The journal is written before and after each step that a power cut may interrupt, and the
   * request is removed last: until then the next boot starts over.
   */
  async run(): Promise<InstallOutcome> {
    const { handover, journal, slots, log } = this.#options;
    const request = await handover.request();
    const { update } = journal.read();
    const boot = await slots.bootState();
    // On trial, the other slot is the only way back: nothing may be written to it.
    if (request === undefined || boot.onTrial || isOver(update, request)) {
      await handover.clear();
      return "nothing";
    }
    const record = await this.#begin(request, boot, update);
    try {
      if (record.attempts > INSTALL_ATTEMPTS_MAX)
        throw new Error(`given up after ${INSTALL_ATTEMPTS_MAX} interrupted attempts`);
      const { version } = await slots.bundleInfo(handover.bundleFile);
      const onProgress = (percent: number, text: string): void => this.#progress(record, percent, text);
      await slots.install(handover.bundleFile, onProgress);
      await this.#progressWritten;
      await this.#write({
        ...record,
        phase: "installed",
        toVersion: version,
        percent: 100,
        message: "restarting",
      });
    } catch (error) {
      await this.#progressWritten;
      log.error({ error: errorText(error) }, "the update was not installed");
      await this.#write({
        ...record,
        phase: "failed",
        percent: null,
        message: journalText(errorText(error)),
      });
      await handover.clear();
      return "failed";
    }
    await handover.clear();
    log.info({ version: request.version }, "the update is installed: restarting into it");
    await slots.restart();
    return "installed";
  }

  async #begin(request: UpdateRequest, box: BootState, former: UpdateRecord | null): Promise<UpdateRecord> {
    const { clock } = this.#options;
    const attempts = former?.id === request.id ? former.attempts + 1 : 1;
    const record: UpdateRecord = {
      id: request.id,
      phase: "installing",
      fromVersion: box.version,
      toVersion: request.version,
      fromSlot: box.slot,
      toSlot: otherSlot(box.slot),
      message: "",
      percent: 0,
      sinceUs: Math.floor(clock.nowUs()),
      attempts,
      before: request.before,
    };
    await this.#write(record);
    return record;
  }

  #progressWritten: Promise<void> = Promise.resolve();

  /** Written in order; if one fails, only a figure is missing. */
  #progress(record: UpdateRecord, percent: number, message: string): void {
    const { log } = this.#options;
    log.info({ percent }, message);
    this.#progressWritten = this.#progressWritten
      .then(() => this.#write({ ...record, percent, message: journalText(message) }))
      .catch((error: unknown) => log.warn({ error: errorText(error) }, "progress cannot be saved"));
  }

  async #write(update: UpdateRecord): Promise<void> {
    const { journal, clock } = this.#options;
    const { box, update: former } = journal.read();
    const isSame = former?.id === update.id && former.phase === update.phase;
    const sinceUs = isSame ? former.sinceUs : Math.floor(clock.nowUs());
    await journal.write({ box, update: { ...update, sinceUs } });
  }
}

/** The other one of the two slots. */
export function otherSlot(slot: string): string {
  return slot === "a" ? "b" : "a";
}

/** Whether the request was carried out and only its removal was interrupted. */
function isOver(update: UpdateRecord | null, request: UpdateRequest): boolean {
  return update !== null && update.id === request.id && update.phase !== "installing";
}
