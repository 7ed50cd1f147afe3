import type { UpdateState } from "../box/update/index.js";
import { type HealthFigures, healthReport, visibleFigures } from "../health/index.js";
import type { SiteStore } from "../site/index.js";
import type { Devices } from "./devices.js";
import type { MqttActor } from "./mqtt-actor.js";
import type { MqttOutbox } from "./mqtt-outbox.js";
import type { MqttTopics } from "./mqtt-topics.js";
import { namedDisks, recorderStates } from "./recorder-states.js";

export interface RecorderWatchOptions {
  readonly topics: MqttTopics;
  readonly outbox: MqttOutbox;
  readonly devices: Devices;
  readonly site: Pick<SiteStore, "current">;
  readonly figures: () => Promise<HealthFigures>;
  readonly update: () => UpdateState;
  readonly actor: () => MqttActor;
}

/** Publishes the state of the recorder and its disks. */
export class RecorderWatch {
  readonly #options: RecorderWatchOptions;
  /** Topics of the present disks; undefined while they are not known. */
  #disks: ReadonlySet<string> | undefined;

  constructor(options: RecorderWatchOptions) {
    this.#options = options;
  }

  /** Publishes what has changed. */
  async refresh(): Promise<void> {
    const { topics, outbox, devices, site, figures, update, actor } = this.#options;
    const now = await figures();
    const disks = now.disks === undefined ? undefined : namedDisks(now.disks);
    if (disks !== undefined) this.#disks = new Set(disks.map(({ key }) => topics.disk(key)));
    const states = recorderStates(topics, {
      name: site.current.server.name,
      report: healthReport(visibleFigures(now, (id) => actor().maySee(id))),
      errors: now.archive.errors,
      disks: disks ?? [],
      update: update(),
    });
    for (const [topic, value] of states) outbox.set(topic, value);
    devices.publishRecorder(disks);
  }

  /** Whether a topic is the recorder's own, or that of a disk which is there or may be. */
  belongs(topic: string): boolean {
    const { topics } = this.#options;
    if (topic.startsWith(topics.disks)) return this.#disks?.has(topic) ?? true;
    return topic === topics.status || topic === topics.recorder || topic === topics.update;
  }
}
