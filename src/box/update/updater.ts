import { type Clock, errorText, type Log, NvrdError, newGuid } from "../../base/index.js";
import type { UpdatePhase } from "../../contract/answer/index.js";
import type { Handover } from "./handover.js";
import type { Inbox, Upload } from "./inbox.js";
import { type BoxFacts, type Journal, journalText, notSupported } from "./journal.js";
import type { BundleInfo, RecorderBefore, SlotSystem, UpdateState } from "./types.js";

export interface UpdaterOptions {
  /** Absent on a recorder without slots. */
  readonly box?: {
    readonly inbox: Inbox;
    readonly handover: Handover;
    readonly journal: Pick<Journal, "read">;
    readonly slots: Pick<SlotSystem, "bundleInfo">;
  };
  /** What records now. */
  readonly before: () => RecorderBefore;
  readonly clock: Clock;
  readonly log: Log;
}

/** An update that the service is receiving. */
interface Receiving {
  readonly phase: "receiving" | "checking" | "waiting";
  readonly sinceUs: number;
  readonly bytes: number;
  readonly bytesTotal: number | undefined;
  readonly id?: string;
  readonly version?: string;
}

/** Phases of the journal in which no other update is accepted. */
const BUSY_PHASES: readonly UpdatePhase[] = ["installing", "installed", "trial", "rejected"];
const PERCENT = 100;

/** The service's part of an update: receives a bundle, checks it, passes it to root's unit, reports progress. */
export class Updater {
  readonly #options: UpdaterOptions;
  #receiving: Receiving | undefined;

  constructor(options: UpdaterOptions) {
    this.#options = options;
  }

  /** Removes an interrupted upload, and finds a request that waits for root's unit. Errors of the disk are only logged. */
  async start(): Promise<void> {
    const { box, clock, log } = this.#options;
    if (box === undefined) return;
    try {
      await box.inbox.prepare();
      const request = await box.handover.request();
      if (request !== undefined) this.#receiving = waiting(request.id, request.version, clock.nowUs());
    } catch (error) {
      log.error({ error: errorText(error) }, "no bundle can be received");
    }
  }

  get state(): UpdateState {
    const { box } = this.#options;
    const contents = box?.journal.read();
    const facts = contents?.box ?? null;
    const supported = facts !== null;
    const common = { supported, slot: facts?.slot ?? null };
    const receiving = this.#current(contents?.update?.id);
    if (receiving !== undefined) {
      const { phase, sinceUs, bytes, bytesTotal, version = null } = receiving;
      const percent =
        bytesTotal === undefined ? null : Math.floor((PERCENT * bytes) / Math.max(1, bytesTotal));
      const fromVersion = facts?.version ?? null;
      return { ...common, phase, percent, message: "", version, fromVersion, sinceUs };
    }
    const update = contents?.update ?? null;
    if (update === null)
      return {
        ...common,
        phase: "none",
        percent: null,
        message: "",
        version: null,
        fromVersion: null,
        sinceUs: null,
      };
    const { phase, percent, message, toVersion, fromVersion, sinceUs } = update;
    return { ...common, phase, percent, message, version: toVersion, fromVersion, sinceUs };
  }

  /**
   * Receives a bundle, checks its signature and type of box, and hands it over. Resolves when root's unit has the
   * request. Rejects with NvrdError: NOT_SUPPORTED without slots, CONFLICT during another update, those of
   * `Inbox.receive`, BAD_REQUEST if the bundle is not trusted or is for other boxes.
   */
  async receive(upload: Upload, by: string): Promise<UpdateState> {
    const begun = { sinceUs: this.#options.clock.nowUs(), bytesTotal: upload.bytes };
    const onBytes = (bytes: number): void => {
      this.#receiving = { phase: "receiving", bytes, ...begun };
    };
    return await this.#take((inbox) => inbox.receive(upload, onBytes), by);
  }

  /** Likewise for a bundle that the command line has put into the inbox. */
  async receiveLocal(name: string, by: string): Promise<UpdateState> {
    return await this.#take((inbox) => inbox.take(name), by);
  }

  async #take(arrive: (inbox: Inbox) => Promise<string>, by: string): Promise<UpdateState> {
    const { box, facts } = this.#requireIdle();
    const { clock, log, before } = this.#options;
    this.#receiving = { phase: "receiving", bytes: 0, bytesTotal: undefined, sinceUs: clock.nowUs() };
    try {
      const file = await arrive(box.inbox);
      this.#receiving = { phase: "checking", bytes: 0, bytesTotal: undefined, sinceUs: clock.nowUs() };
      const info = await this.#checked(file, facts);
      const id = newGuid();
      await box.handover.offer(file, { id, version: info.version, before: before() });
      log.info(
        { by, version: info.version, from: facts.version },
        "an update is handed over for installation",
      );
      this.#receiving = waiting(id, info.version, clock.nowUs());
      return this.state;
    } catch (error) {
      this.#receiving = undefined;
      await box.inbox.discard();
      log.warn({ by, error: journalText(errorText(error)) }, "an update was refused");
      throw error;
    }
  }

  async #checked(file: string, facts: BoxFacts): Promise<BundleInfo> {
    const { box } = this.#options;
    if (box === undefined) throw notSupported();
    const info = await box.slots.bundleInfo(file);
    if (info.compatible === facts.compatible) return info;
    throw new NvrdError(
      "BAD_REQUEST",
      `the bundle is for ${info.compatible}, this box is ${facts.compatible}`,
      {
        hint: `send the bundle for ${facts.compatible}`,
      },
    );
  }

  /** Throws unless an update may begin. */
  #requireIdle(): { readonly box: NonNullable<UpdaterOptions["box"]>; readonly facts: BoxFacts } {
    const { box } = this.#options;
    const contents = box?.journal.read();
    if (box === undefined || contents === undefined) throw notSupported();
    if (contents.box === null)
      throw new NvrdError("NOT_AVAILABLE", "the running slot is not known yet", {
        hint: "try again in a minute; if it stays so, see nvrd-health-gate.service",
      });
    const phase = this.#current(contents.update?.id)?.phase ?? contents.update?.phase ?? "none";
    if (this.#current(contents.update?.id) !== undefined || BUSY_PHASES.includes(phase))
      throw new NvrdError("CONFLICT", `an update is in progress already (${phase})`, {
        hint: "GET /api/update shows its progress; try again when it has ended",
      });
    return { box, facts: contents.box };
  }

  /** The update that the service is receiving; undefined once root's unit has taken over. */
  #current(journalId: string | undefined): Receiving | undefined {
    if (this.#receiving?.id !== undefined && this.#receiving.id === journalId) this.#receiving = undefined;
    return this.#receiving;
  }
}

function waiting(id: string, version: string, sinceUs: number): Receiving {
  return { phase: "waiting", bytes: 0, bytesTotal: undefined, sinceUs, id, version };
}
