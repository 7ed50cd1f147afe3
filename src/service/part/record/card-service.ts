import { type Clock, type ClockKnowledge, errorText, type Log } from "../../../base/index.js";
import type { FillState, GapFills } from "../../../camera/filling/index.js";
import { type Cards, fillsFromCard } from "../../../camera/index.js";
import type { EventLog } from "../../../event/index.js";
import type { Settings } from "../../../settings/index.js";
import type { Camera, Site, SiteStore } from "../../../site/index.js";
import type { ApiServer } from "../../api/index.js";
import type { ArchiveService } from "./archive-service.js";

const BYTES_PER_MBIT = 125_000;
const NOTHING: FillState = { isFilling: false, gaps: [] };

export interface CardServiceOptions {
  readonly settings: Settings;
  readonly site: Pick<SiteStore, "current" | "onChange">;
  readonly cards: Cards;
  /** Whether a partner stands in for a camera, and may have what is missing. */
  readonly hasReserve: (camera: Camera) => boolean;
  readonly archive: ArchiveService;
  readonly api: () => Pick<ApiServer, "tasks" | "explainGaps"> | undefined;
  readonly events: Pick<EventLog, "raise">;
  readonly knowledge: ClockKnowledge;
  readonly clock: Clock;
  readonly log: Log;
}

/** Fills gaps from reserves, and from the cards of cameras. The room is loaded when the first camera wants it. */
export class CardService {
  readonly #options: CardServiceOptions;
  #fills: GapFills | undefined;
  #loading: Promise<void> | undefined;
  #isStarted = false;
  #isStopped = false;

  constructor(options: CardServiceOptions) {
    this.#options = options;
    options.site.onChange("cameras", (site) => this.#follow(site));
  }

  state(channelId: string): FillState {
    return this.#fills?.state(channelId) ?? NOTHING;
  }

  start(): void {
    this.#isStarted = true;
    this.#follow(this.#options.site.current);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loading;
    await this.#fills?.stop();
  }

  #follow({ cameras }: Site): void {
    this.#fills?.follow();
    if (!this.#isStarted || this.#isStopped || this.#loading !== undefined) return;
    if (!cameras.some((camera) => this.#isWanted(camera))) return;
    this.#loading = this.#load().catch((error: unknown) => {
      this.#options.log.error({ error: errorText(error) }, "gaps cannot be filled from cameras' cards");
    });
  }

  #isWanted(camera: Camera): boolean {
    return fillsFromCard(camera) || this.#options.hasReserve(camera);
  }

  async #load(): Promise<void> {
    const { settings, site, cards, archive, api, events, knowledge, clock, log } = this.#options;
    const room = await import("../../../camera/filling/index.js");
    const server = api();
    if (this.#isStopped || server === undefined) return;
    const { deviceArchiveOrder: order, deviceArchiveHours: hours } = settings;
    this.#fills = new room.GapFills({
      settings: {
        order,
        hours: hours === undefined ? undefined : room.fillHours(hours),
        bytesPerSecondMax: settings.deviceArchiveMbits * BYTES_PER_MBIT,
        days: settings.deviceArchiveDays,
      },
      archive: archive.archive,
      removed: archive.removedTimes,
      explain: (channelId, holes) => server.explainGaps(channelId, holes),
      tasks: server.tasks,
      dataDir: settings.dataDir,
      ...{ site, cards, events, knowledge, clock, log },
      isWanted: (camera) => this.#isWanted(camera),
    });
    this.#fills.start();
  }
}
