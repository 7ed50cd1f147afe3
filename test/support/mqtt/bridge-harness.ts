import { Scenarios } from "../../../src/alarm/scenario/index.js";
import { CLOCK_KNOWN, SystemClock } from "../../../src/base/index.js";
import type { UpdateState } from "../../../src/box/update/index.js";
import type { HealthFigures } from "../../../src/health/index.js";
import { type BrokerSettings, MqttBridge } from "../../../src/mqtt/index.js";
import { MotionStates, SeenStates, ZoneStates } from "../../../src/recording/index.js";
import { MqttActors } from "../../../src/service/part/mqtt-actor.js";
import { MemorySiteStore, SERVER_ID } from "../api/api-fakes.js";
import { MemoryPtz } from "../api/memory/memory-ptz.js";
import { MemoryRecording } from "../api/memory/memory-recording.js";
import { MemoryRelays } from "../api/memory/memory-relays.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { MemoryEventLog } from "../event/memory-event-log.js";
import { healthFigures } from "../health/health-figures.js";
import { silentLog } from "../site/site-samples.js";

export const BASE = `nvrd/${SERVER_ID}`;
export const UPDATE: UpdateState = {
  ...{ supported: false, phase: "none", percent: null, message: "", version: null },
  ...{ fromVersion: null, slot: null, sinceUs: null },
};

/** The recording of the fakes, with motion. */
class Recording extends MemoryRecording {
  readonly motion: MotionStates;
  readonly seen: SeenStates;
  readonly zones = new ZoneStates();

  constructor(clock: SystemClock) {
    super(clock);
    this.motion = new MotionStates(clock);
    this.seen = new SeenStates(clock);
  }
}

export interface HarnessOptions {
  /** Default: root. Null: none is set. */
  readonly user?: string | null;
  readonly broker?: Partial<BrokerSettings>;
}

/** A recorder of fakes at a broker. */
export class BridgeHarness {
  readonly clock = new SystemClock();
  readonly site = new MemorySiteStore();
  readonly events = new MemoryEventLog(this.clock);
  readonly recording = new Recording(this.clock);
  readonly ptz = new MemoryPtz();
  readonly scenarios = new Scenarios({
    ...{ site: this.site, events: this.events, recording: this.recording, ptz: this.ptz },
    relays: new MemoryRelays(),
    announcements: { play: async () => Promise.reject(new Error("no announcements here")) },
    ...{ clock: this.clock, knowledge: CLOCK_KNOWN, log: silentLog },
  });
  figures: HealthFigures = healthFigures();
  picture: Uint8Array = Buffer.from([0xff, 0xd8, 0x00, 0xff, 0xd9]);
  readonly #directory = new TemporaryDirectory("nvrd-mqtt");
  #bridge: MqttBridge | undefined;

  get bridge(): MqttBridge {
    if (this.#bridge === undefined) throw new Error("not started");
    return this.#bridge;
  }

  start(url: string, { user = "root", broker = {} }: HarnessOptions = {}): void {
    const actors = new MqttActors(this.site, user ?? undefined);
    this.#bridge = new MqttBridge({
      settings: { broker: { url, ...broker }, prefix: "nvrd", discoveryPrefix: "homeassistant" },
      dataDir: this.#directory.path,
      site: this.site,
      events: this.events,
      streams: { stream: () => undefined },
      recording: this.recording,
      ptz: this.ptz,
      scenarios: this.scenarios,
      figures: async () => this.figures,
      update: () => UPDATE,
      actor: () => actors.current,
      picture: async () => this.picture,
      eventText: ({ typeId, comment }) => JSON.stringify({ EventId: typeId, Comment: comment }),
      clock: this.clock,
      log: silentLog,
    });
    this.#bridge.start();
  }

  /** Stops the recorder; it may be started again with what it has kept. */
  async stop(): Promise<void> {
    await this.#bridge?.stop();
    this.#bridge = undefined;
  }

  async remove(): Promise<void> {
    await this.stop();
    this.recording.motion.stop();
    this.#directory.remove();
  }
}
