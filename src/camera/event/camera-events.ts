import { type Clock, type Guid, type Log, US_PER_MINUTE } from "../../base/index.js";
import type { Camera, Site, SiteStore } from "../../site/index.js";
import type { DeviceDescription } from "../description/device-description.js";
import { type CameraDevices, questionOf } from "../device/camera-devices.js";
import { channelNumberOf } from "../device/channel-number.js";
import type { LoginBudgets } from "../device/login-budget.js";
import { connectionOf } from "../device/stream-address.js";
import { CameraEventFeed } from "./camera-event-feed.js";
import type { CameraEventChange } from "./camera-event-states.js";
import type { NotificationConsumer } from "./notification-consumer.js";
import { takesInput, takesMotion } from "./taken-events.js";

/** Maximum number of events per minute from one device, not counting motion. */
export const CAMERA_EVENTS_PER_MINUTE_MAX = 120;

/** An event of a camera, for one channel. */
export interface CameraEvent extends CameraEventChange {
  readonly channelId: Guid;
}

export interface CameraEventsOptions {
  readonly site: SiteStore;
  readonly devices: CameraDevices;
  readonly budgets: LoginBudgets;
  /** Receives the messages that devices push. */
  readonly consumer: NotificationConsumer;
  readonly clock: Clock;
  /** 0 to 1, for the spread of waits. */
  readonly random: () => number;
  readonly log: Log;
}

/** The listener; must not throw. */
export interface CameraEventSink {
  tell(event: CameraEvent): void;
  /** Stops reporting motion of a channel. */
  forgetMotion(channelId: Guid): void;
}

interface KnownFeed {
  readonly feed: CameraEventFeed;
  readonly key: string;
  readonly description: DeviceDescription;
  /** Start of the current minute, by the monotonic clock. */
  minuteUs: number;
  count: number;
}

/**
 * Events of ONVIF cameras: one subscription per device, however many channels it has. Motion is used if the channel is set to
 * the camera's own detector, digital inputs if their processing is enabled.
 */
export class CameraEvents {
  readonly #options: CameraEventsOptions;
  /** By the `DeviceQuestion` as text. */
  readonly #feeds = new Map<string, KnownFeed>();
  readonly #stopping = new Set<Promise<void>>();
  #motionChannels: ReadonlySet<Guid> = new Set();
  #sink: CameraEventSink | undefined;

  constructor(options: CameraEventsOptions) {
    this.#options = options;
    const follow = (): void => this.#follow(options.site.current);
    options.site.onChange("camera-events", follow);
    options.devices.onChange(follow);
  }

  start(sink: CameraEventSink): void {
    this.#sink = sink;
    this.#follow(this.#options.site.current);
  }

  async stop(): Promise<void> {
    this.#sink = undefined;
    for (const question of [...this.#feeds.keys()]) this.#end(question);
    await Promise.all(this.#stopping);
  }

  #follow(site: Site): void {
    if (this.#sink === undefined) return;
    const wanted = new Set<string>();
    for (const camera of site.cameras) {
      const description = isFollowed(camera) ? this.#options.devices.described(camera) : undefined;
      if (description === undefined) continue;
      const question = keyOf(camera);
      wanted.add(question);
      this.#take(question, description, camera);
    }
    for (const question of [...this.#feeds.keys()]) {
      // A device without a description may only be unreachable; one that is not configured was removed.
      const isConfigured = site.cameras.some((camera) => isFollowed(camera) && keyOf(camera) === question);
      if (!wanted.has(question) && !isConfigured) this.#end(question);
    }
    this.#followMotion(site);
  }

  #take(question: string, description: DeviceDescription, camera: Camera): void {
    const { services, events } = description;
    const key = JSON.stringify([services.device, events]);
    const known = this.#feeds.get(question);
    if (known?.key === key) return;
    if (known !== undefined) this.#end(question);
    if (events.kind === "none") return;
    const { budgets, consumer, clock, random, log } = this.#options;
    const feed = new CameraEventFeed({
      question: questionOf(camera),
      description,
      budgets,
      consumer,
      clock,
      random,
      log,
      tell: (change) => this.#tell(question, change),
    });
    this.#feeds.set(question, { feed, key, description, minuteUs: 0, count: 0 });
    feed.start();
  }

  #end(question: string): void {
    const known = this.#feeds.get(question);
    this.#feeds.delete(question);
    if (known === undefined) return;
    // Nothing else would report the end of the motion.
    for (const camera of this.#options.site.current.cameras)
      if (this.#motionChannels.has(camera.id) && keyOf(camera) === question)
        this.#sink?.forgetMotion(camera.id);
    const stopping = known.feed.stop();
    this.#stopping.add(stopping);
    stopping.finally(() => this.#stopping.delete(stopping));
  }

  /** Reports lasting motion to channels that now use their camera's detector, and clears it for the others. */
  #followMotion(site: Site): void {
    const now = new Set(
      site.cameras.filter((camera) => isFollowed(camera) && takesMotion(camera)).map(({ id }) => id),
    );
    const before = this.#motionChannels;
    this.#motionChannels = now;
    for (const channelId of before) if (!now.has(channelId)) this.#sink?.forgetMotion(channelId);
    if ([...now].every((channelId) => before.has(channelId))) return;
    for (const { feed } of this.#feeds.values()) feed.renewMotion();
  }

  #tell(question: string, change: CameraEventChange): void {
    const known = this.#feeds.get(question);
    if (known === undefined || this.#sink === undefined) return;
    const cameras = this.#camerasOf(question, known.description, change);
    if (cameras.length === 0) return;
    if (change.kind !== "motion" && !this.#isWithinRate(known)) return;
    for (const { id: channelId } of cameras) this.#sink.tell({ ...change, channelId });
  }

  #camerasOf(question: string, description: DeviceDescription, change: CameraEventChange): Camera[] {
    const { kind, sourceToken } = change;
    const all = this.#options.site.current.cameras.filter(
      (camera) => isFollowed(camera) && keyOf(camera) === question,
    );
    if (kind === "input") {
      // An input belongs to the device: it is reported for one of its channels.
      const taken = all.filter(takesInput);
      return taken.slice(0, 1);
    }
    const number = channelNumberOfToken(description, sourceToken);
    const own = number === undefined ? [] : all.filter((camera) => channelNumberOf(camera) === number);
    return kind === "motion" ? own.filter(takesMotion) : own;
  }

  #isWithinRate(known: KnownFeed): boolean {
    const nowUs = this.#options.clock.monotonicUs();
    if (nowUs - known.minuteUs >= US_PER_MINUTE) Object.assign(known, { minuteUs: nowUs, count: 0 });
    known.count += 1;
    if (known.count === CAMERA_EVENTS_PER_MINUTE_MAX + 1)
      this.#options.log.warn(
        "a camera sends too many events: further ones are ignored until this minute ends",
      );
    return known.count <= CAMERA_EVENTS_PER_MINUTE_MAX;
  }
}

function isFollowed(camera: Camera): boolean {
  return !camera.disabled && connectionOf(camera) === "onvif";
}

function keyOf(camera: Camera): string {
  return JSON.stringify(questionOf(camera));
}

/** The channel number for a token in a message; undefined if the token is unknown. */
function channelNumberOfToken(description: DeviceDescription, token: string): number | undefined {
  const { videoSources, profiles } = description;
  const numbers = new Set(profiles.map(({ channelNumber }) => channelNumber));
  const only = numbers.size === 1 ? [...numbers][0] : undefined;
  const source = videoSources.find((candidate) => candidate.token === token)?.channelNumber;
  const profile = profiles.find(
    (candidate) => candidate.sourceConfigurationToken === token || candidate.token === token,
  )?.channelNumber;
  return source ?? profile ?? only;
}
