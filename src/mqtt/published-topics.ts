import path from "node:path";
import * as v from "valibot";
import { type Clock, DelayedFile, errorText, type Log, readSmallFile } from "../base/index.js";

/** In the data directory: what the broker keeps of this recorder. */
export const MQTT_PUBLISHED_FILE = "mqtt-published.json";
const FORMAT_VERSION = 1;
const SAVE_AFTER_MS = 2_000;
const TOPICS_MAX = 20_000;
const DEVICES_MAX = 2_000;
const TEXT_LENGTH_MAX = 1024;

const text = v.pipe(v.string(), v.maxLength(TEXT_LENGTH_MAX));
const fileSchema = v.object({
  formatVersion: v.literal(FORMAT_VERSION),
  broker: text,
  topics: v.pipe(v.array(text), v.maxLength(TOPICS_MAX)),
  entities: v.pipe(
    v.record(text, v.record(text, text)),
    v.check((devices) => Object.keys(devices).length <= DEVICES_MAX),
  ),
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
  readonly #path: string;
  readonly #file: DelayedFile;
  #earlier = new Set<string>();
  /** Entities that Home Assistant was told of: platforms by key, by device. */
  #entities = new Map<string, Map<string, string>>();

  constructor(options: PublishedTopicsOptions) {
    const { dataDir, clock, log } = options;
    this.#options = options;
    this.#path = path.join(dataDir, MQTT_PUBLISHED_FILE);
    this.#file = new DelayedFile({
      file: this.#path,
      text: () => this.#text(),
      delayMs: SAVE_AFTER_MS,
      clock,
      onFailed: (error) =>
        log.warn(
          { path: this.#path, error: errorText(error) },
          "the list of topics at the MQTT broker cannot be saved: topics of deleted cameras may stay there",
        ),
    });
  }

  start(): void {
    const { broker, log } = this.#options;
    try {
      const stored = readSmallFile(this.#path);
      if (stored === undefined) return;
      const known = v.parse(fileSchema, JSON.parse(stored));
      if (known.broker !== broker) return;
      this.#earlier = new Set(known.topics);
      this.#entities = new Map(
        Object.entries(known.entities).map(([id, entities]) => [id, new Map(Object.entries(entities))]),
      );
    } catch (error) {
      log.warn(
        { path: this.#path, error: errorText(error) },
        "the list of topics at the MQTT broker is lost: topics of cameras deleted before may stay there",
      );
    }
  }

  async stop(): Promise<void> {
    await this.#file.stop();
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

  /** Adds a device's entities, and returns those that are gone: told before, not now, and not to be kept. */
  announce(
    deviceId: string,
    now: Readonly<Record<string, { readonly platform: string }>>,
    isKept: (key: string) => boolean,
  ): ReadonlyMap<string, string> {
    const told = this.#entities.get(deviceId) ?? new Map<string, string>();
    this.#entities.set(deviceId, told);
    for (const [key, { platform }] of Object.entries(now)) told.set(key, platform);
    this.#file.changed();
    return new Map([...told].filter(([key]) => now[key] === undefined && !isKept(key)));
  }

  forget(deviceId: string): void {
    this.#entities.delete(deviceId);
  }

  #text(): string {
    const { broker, topics } = this.#options;
    const entities = Object.fromEntries(
      [...this.#entities].map(([id, told]) => [id, Object.fromEntries(told)]),
    );
    const all = [...new Set([...this.#earlier, ...topics()])];
    return `${JSON.stringify({ formatVersion: FORMAT_VERSION, broker, topics: all, entities })}\n`;
  }
}
