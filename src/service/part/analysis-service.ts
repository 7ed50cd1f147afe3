import { WEBHOOK_REACH_ANY, WEBHOOK_REACH_PUBLIC } from "../../alarm/index.js";
import type {
  AnalyserState,
  AnalyserTrial,
  Analyses,
  AnalysisControl,
  CameraPicture,
  MessageFeed,
} from "../../analysis/index.js";
import { type Clock, errorText, type Guid, type Log, NvrdError, STREAM_TYPES } from "../../base/index.js";
import type { SnapshotSource } from "../../compat/index.js";
import type { EventLog } from "../../event/index.js";
import type { StreamDirectory } from "../../live/index.js";
import type { Stills } from "../../picture/index.js";
import type { MotionStates } from "../../recording/index.js";
import type { Settings } from "../../settings/index.js";
import { analyseStreamType, type Site, type SiteStore } from "../../site/index.js";
import { channelPicture } from "./channel-picture.js";

/** Widths of the pictures that are made: enough for things and faces; for small letters, what 4K cameras send. */
const PICTURE_WIDTH = 1280;
const DETAILED_WIDTH = 3840;
/** Share of the event log's bytes that pictures of findings may take in a day: they stay for a month. */
const PICTURES_SHARE = 1 / 30;

export interface AnalysisServiceOptions {
  readonly settings: Pick<Settings, "webhookPrivateTargets" | "eventBytesMax">;
  readonly site: Pick<SiteStore, "current" | "onChange">;
  readonly events: Pick<EventLog, "raise">;
  readonly streams: StreamDirectory;
  readonly motion: Pick<MotionStates, "report" | "seen" | "onMotion">;
  readonly snapshots: SnapshotSource;
  readonly stills: Stills;
  readonly clock: Clock;
  readonly log: Log;
}

/** Follows the analysers of the configuration. The room is loaded when one is on, or tested. */
export class AnalysisService implements AnalysisControl {
  readonly #options: AnalysisServiceOptions;
  #analyses: Analyses | undefined;
  #feed: MessageFeed | undefined;
  #following: Promise<void> = Promise.resolve();
  #loading: Promise<Analyses> | undefined;
  #isRunning = false;

  constructor(options: AnalysisServiceOptions) {
    this.#options = options;
    options.site.onChange("analysis", (site) => this.#follow(site));
  }

  start(): void {
    this.#isRunning = true;
    this.#follow(this.#options.site.current);
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#following;
    // Of a test: whoever asked for it gets the error that the recorder stops.
    await this.#loading?.catch(() => undefined);
    this.#analyses?.stop();
    this.#analyses = undefined;
  }

  /** The MQTT link, which starts later. */
  useFeed(feed: MessageFeed): void {
    this.#feed = feed;
    this.#analyses?.follow(this.#options.site.current);
  }

  states(): readonly AnalyserState[] {
    return this.#analyses?.states() ?? [];
  }

  async test(id: Guid, channelId: Guid | undefined): Promise<AnalyserTrial> {
    await this.#following;
    const analyses = this.#analyses ?? (await this.#load());
    return await analyses.test(id, channelId);
  }

  #follow(site: Site): void {
    this.#following = this.#following
      .then(() => this.#apply(site))
      .catch((error: unknown) => {
        if (this.#isRunning)
          this.#options.log.error(
            { error: errorText(error) },
            "the analysers cannot be started; the next change tries again",
          );
      });
  }

  async #apply(site: Site): Promise<void> {
    if (!this.#isRunning) return;
    const isWanted = site.analysers.some(({ isEnabled }) => isEnabled);
    if (this.#analyses === undefined && isWanted) await this.#load();
    else this.#analyses?.follow(site);
  }

  /** Once, however many ask for it at a time. */
  #load(): Promise<Analyses> {
    this.#loading ??= this.#create().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #create(): Promise<Analyses> {
    const room = await import("../../analysis/index.js");
    if (!this.#isRunning) throw new NvrdError("NOT_AVAILABLE", "the recorder stops");
    const { settings, site, events, motion, clock, log } = this.#options;
    const analyses = new room.Analyses({
      ...{ site, events, motion, clock, log: log.child({ part: "analysis" }) },
      pictures: {
        present: (channelId, { isDetailed, signal }) => this.#picture(channelId, isDetailed, signal),
        cut: (jpeg, part, sideMax) => this.#options.stills.cut(jpeg, part, sideMax),
      },
      pictureBytesPerDay: Math.round(settings.eventBytesMax * PICTURES_SHARE),
      reach: settings.webhookPrivateTargets === "forbid" ? WEBHOOK_REACH_PUBLIC : WEBHOOK_REACH_ANY,
      feed: () => this.#feed,
    });
    try {
      analyses.start();
    } catch (error) {
      analyses.stop();
      throw error;
    }
    this.#analyses = analyses;
    return analyses;
  }

  /** Made when nobody waits for a still: viewers go first. */
  async #picture(channelId: Guid, isDetailed: boolean, signal: AbortSignal): Promise<CameraPicture> {
    const { site, stills } = this.#options;
    const camera = site.current.cameras.find(({ id }) => id === channelId);
    if (camera === undefined) throw new NvrdError("NOT_FOUND", "there is no such channel");
    if (!(await stills.idle(signal)))
      throw new NvrdError("NOT_AVAILABLE", "too many pictures are being made");
    const first = isDetailed ? "Main" : analyseStreamType(camera);
    const streamTypes = [first, ...STREAM_TYPES.filter((type) => type !== first)];
    const size = { width: isDetailed ? DETAILED_WIDTH : PICTURE_WIDTH };
    return await channelPicture(this.#options, { channelId, streamTypes, size, signal });
  }
}
