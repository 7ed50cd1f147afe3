import * as v from "valibot";
import type { Clock, Log } from "../base/index.js";
import { type Kept, KeptFile, keptKind } from "../kept/index.js";

/** In the data directory: what the broker keeps of this recorder. */
const MQTT_PUBLISHED_FILE = "mqtt-published.json";
const SAVE_AFTER_MS = 2_000;
const TOPICS_MAX = 20_000;
const DEVICES_MAX = 2_000;
const TEXT_LENGTH_MAX = 1024;

const text = v.pipe(v.string(), v.maxLength(TEXT_LENGTH_MAX));
const fileSchema = v.object({
  broker: text,
  topics: v.pipe(v.array(text), v.maxLength(TOPICS_MAX)),
  entities: v.pipe(
    v.record(text, v.record(text, text)),
    v.check((devices) => Object.keys(devices).length <= DEVICES_MAX),
  ),
});

export const PUBLISHED_TOPICS_KIND = keptKind({
  name: MQTT_PUBLISHED_FILE,
  says: "what the MQTT broker keeps of the recorder",
  policy: "forget",
  damaged: "the list of topics at the MQTT broker is lost: topics of cameras deleted before may stay there",
  unsaved: "the list of topics at the MQTT broker cannot be saved: topics of deleted cameras may stay there",
  severity: "warn",
  schema: fileSchema,
  delayMs: SAVE_AFTER_MS,
});

export interface PublishedTopicsOptions {
  readonly dataDir: string;
  /** The broker's address; what another one keeps is out of reach. */
  readonly broker: string;
  /** Topics that it keeps now. */
  readonly topics: () => readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * What the broker keeps of this recorder, also of earlier runs: without it the states of a camera that was deleted meanwhile
 * would stay at the broker for ever, and its device in Home Assistant.
 */
export class PublishedTopics {
  readonly #options: PublishedTopicsOptions;
  readonly #file: KeptFile<typeof fileSchema>;
  #earlier = new Set<string>();
  /** Entities published to Home Assistant: platforms by key, by device. */
  #entities = new Map<string, Map<string, string>>();

  constructor(options: PublishedTopicsOptions) {
    const { dataDir: directory, clock, log } = options;
    this.#options = options;
    this.#file = new KeptFile(PUBLISHED_TOPICS_KIND, {
      ...{ directory, clock, log },
      content: () => this.#content(),
    });
  }

  start(): void {
    const known = this.#file.read();
    if (known?.broker !== this.#options.broker) return;
    this.#earlier = new Set(known.topics);
    this.#entities = new Map(
      Object.entries(known.entities).map(([id, entities]) => [id, new Map(Object.entries(entities))]),
    );
  }

  async stop(): Promise<void> {
    await this.#file.flush();
  }

  /** Topics of earlier runs that no longer belong to anything; each is returned once. */
  takeOrphans(belongs: (topic: string) => boolean): string[] {
    const orphans = [...this.#earlier].filter((topic) => !belongs(topic));
    for (const topic of orphans) this.#earlier.delete(topic);
    return orphans;
  }

  /** The topics have changed. */
  changed(): void {
    this.#file.changed();
  }

  /** Adds a device's entities, and returns those that are gone: published before, not now, and not to be kept. */
  announce(
    deviceId: string,
    now: Readonly<Record<string, { readonly platform: string }>>,
    isKept: (key: string) => boolean,
  ): ReadonlyMap<string, string> {
    const published = this.#entities.get(deviceId) ?? new Map<string, string>();
    this.#entities.set(deviceId, published);
    for (const [key, { platform }] of Object.entries(now)) published.set(key, platform);
    this.#file.changed();
    return new Map([...published].filter(([key]) => now[key] === undefined && !isKept(key)));
  }

  forget(deviceId: string): void {
    this.#entities.delete(deviceId);
  }

  #content(): Kept<typeof fileSchema> {
    const { broker, topics } = this.#options;
    const entities = Object.fromEntries(
      [...this.#entities].map(([id, published]) => [id, Object.fromEntries(published)]),
    );
    const all = [...new Set([...this.#earlier, ...topics()])];
    return { broker, topics: all, entities };
  }
}
