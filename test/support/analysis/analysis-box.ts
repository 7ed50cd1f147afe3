import { WEBHOOK_REACH_ANY, type WebhookReach } from "../../../src/alarm/index.js";
import { Analyses, type MessageFeed } from "../../../src/analysis/index.js";
import { MotionStates } from "../../../src/recording/index.js";
import type { Analyser, Camera, Site } from "../../../src/site/index.js";
import { cameraOptions } from "../../../src/site/index.js";
import { MemorySiteStore } from "../api/api-fakes.js";
import { SimulatedClock } from "../base/simulated-clock.js";
import { MemoryEventLog } from "../event/memory-event-log.js";
import { silentLog } from "../site/site-samples.js";
import { GreyPictures } from "./analyser-samples.js";

/** The broker's messages, given by hand. */
export class HandFeed implements MessageFeed {
  problem: string | undefined;
  topics: readonly string[] = [];
  #onMessage: (topic: string, payload: Uint8Array) => void = () => undefined;

  listen(topics: readonly string[], onMessage: (topic: string, payload: Uint8Array) => void): void {
    this.topics = topics;
    this.#onMessage = onMessage;
  }

  send(topic: string, message: unknown): void {
    this.#onMessage(topic, Buffer.from(typeof message === "string" ? message : JSON.stringify(message)));
  }
}

/** Analysers of a recorder in simulated time, whose cameras show a grey picture. */
export class AnalysisBox {
  readonly clock = new SimulatedClock();
  readonly site = new MemorySiteStore();
  readonly events = new MemoryEventLog(this.clock);
  readonly motion = new MotionStates(this.clock);
  readonly pictures = new GreyPictures();
  readonly feed = new HandFeed();
  readonly analyses: Analyses;

  constructor(options: { readonly pictureBytesPerDay?: number; readonly reach?: WebhookReach } = {}) {
    const { site, events, motion, pictures, clock } = this;
    this.pictures.shownUs = clock.nowUs();
    this.analyses = new Analyses({
      ...{ site, events, motion, pictures, clock, log: silentLog },
      reach: options.reach ?? WEBHOOK_REACH_ANY,
      pictureBytesPerDay: options.pictureBytesPerDay ?? 1_000_000,
      feed: () => this.feed,
    });
  }

  async use(...analysers: Analyser[]): Promise<void> {
    await this.change((site) => ({ ...site, analysers }));
  }

  /** Changes what the camera object says of analysis. */
  async setCamera(id: string, change: Partial<ReturnType<typeof cameraOptions>["analyze"]>): Promise<void> {
    await this.change((site) => ({
      ...site,
      cameras: site.cameras.map((camera): Camera => {
        const kept = cameraOptions(camera);
        return camera.id === id
          ? { ...camera, kept: { ...kept, analyze: { ...kept.analyze, ...change } } }
          : camera;
      }),
    }));
  }

  async change(edit: (site: Site) => Site): Promise<void> {
    await this.site.change(edit);
    this.analyses.follow(this.site.current);
  }

  /** The camera or the recorder sees motion, or its end. */
  move(channelId: string, active = true, box = { left: 0.4, top: 0.4, width: 0.1, height: 0.1 }): void {
    this.motion.report({ channelId, source: "recorder", active, timeUs: this.clock.nowUs(), zone: "", box });
  }
}
