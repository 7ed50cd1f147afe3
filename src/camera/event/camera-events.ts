import { type Clock, type Guid, type Log, SEEN_KINDS, type SeenKind } from "../../base/index.js";
import { type Camera, isRecordedOn, type Site, type SiteStore } from "../../site/index.js";
import type { DeviceDescription } from "../description/device-description.js";
import { type CameraDevices, questionOf } from "../device/camera-devices.js";
import { channelNumberOf } from "../device/channel-number.js";
import type { LoginBudgets } from "../device/login-budget.js";
import { connectionOf } from "../device/stream-address.js";
import { CameraEventFeed } from "./camera-event-feed.js";
import { OF_DEVICE } from "./camera-event-signal.js";
import type { CameraEventChange } from "./camera-event-states.js";
import { EventRate } from "./event-rate.js";
import type { NotificationConsumer } from "./notification-consumer.js";
import { isTaken } from "./taken-events.js";

/** What concerns the device as a whole where its message names no video source. */
const OF_NO_SOURCE: ReadonlySet<SeenKind> = new Set([...OF_DEVICE, "temperature", "other"]);

/** An event of a camera, for one channel. */
export interface CameraEvent extends CameraEventChange {
  readonly channelId: Guid;
}

interface CameraEventsOptions {
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
  report(event: CameraEvent): void;
  /** The camera can report this kind; none is active now, as far as is known. */
  know(channelId: Guid, kind: SeenKind): void;
  /** The channel is not recorded on what was reported before: what still lasts is reported again. */
  forgetMotion(channelId: Guid): void;
  /** Nothing more is heard of the channel. */
  forget(channelId: Guid): void;
}

interface KnownFeed {
  readonly feed: CameraEventFeed;
  readonly key: string;
  readonly description: DeviceDescription;
  readonly rate: EventRate;
}

/**
 * Events of ONVIF cameras: one subscription per device, however many channels it has. Motion is used if the channel is set to
 * the camera's own detector, digital inputs if their processing is enabled, all else if it becomes an event or is recorded on.
 */
export class CameraEvents {
  readonly #options: CameraEventsOptions;
  /** By the `DeviceQuestion` as text. */
  readonly #feeds = new Map<string, KnownFeed>();
  readonly #stopping = new Set<Promise<void>>();
  /** What each channel is recorded on, of what its camera reports. */
  #recordedOn: ReadonlyMap<Guid, string> = new Map();
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
    const { devices, budgets, consumer, clock, random, log } = this.#options;
    const feed = new CameraEventFeed({
      question: questionOf(camera),
      acceptsKey: devices.acceptsKey(camera),
      description,
      budgets,
      consumer,
      clock,
      random,
      log,
      report: (change) => this.#report(question, change),
      know: (state) => this.#know(question, state),
    });
    this.#feeds.set(question, { feed, key, description, rate: new EventRate(clock, log) });
    feed.start();
  }

  #end(question: string): void {
    const known = this.#feeds.get(question);
    this.#feeds.delete(question);
    if (known === undefined) return;
    // Nothing else would report the end of what lasts.
    for (const camera of this.#options.site.current.cameras)
      if (keyOf(camera) === question) this.#sink?.forget(camera.id);
    const stopping = known.feed.stop();
    this.#stopping.add(stopping);
    stopping.finally(() => this.#stopping.delete(stopping));
  }

  /** Reports what lasts to channels that are now recorded on it, and clears it for the others. */
  #followMotion(site: Site): void {
    const followed = site.cameras.filter(isFollowed);
    const now = new Map(followed.map((camera) => [camera.id, recordedText(camera)] as const));
    const before = this.#recordedOn;
    this.#recordedOn = now;
    for (const channelId of before.keys()) if (!now.has(channelId)) this.#sink?.forget(channelId);
    for (const [channelId, kinds] of before)
      if (kinds !== "" && now.get(channelId) !== kinds) this.#sink?.forgetMotion(channelId);
    if ([...now].every(([channelId, kinds]) => kinds === "" || before.get(channelId) === kinds)) return;
    for (const { feed } of this.#feeds.values()) feed.renew();
  }

  #report(question: string, change: CameraEventChange): void {
    const known = this.#feeds.get(question);
    if (known === undefined || this.#sink === undefined) return;
    const { kind, isAgain = false } = change;
    const cameras = this.#camerasOf(question, known.description, change).filter(
      (camera) => !isAgain || kind === "motion" || isRecordedOn(camera, kind),
    );
    const [first] = cameras;
    if (first === undefined || !known.rate.lets(change, first)) return;
    for (const { id: channelId } of cameras) this.#sink.report({ ...change, channelId });
  }

  #know(question: string, state: Pick<CameraEventChange, "kind" | "sourceToken">): void {
    const known = this.#feeds.get(question);
    if (known === undefined) return;
    for (const { id } of this.#camerasOf(question, known.description, state))
      this.#sink?.know(id, state.kind);
  }

  #camerasOf(
    question: string,
    description: DeviceDescription,
    {
      kind,
      sourceToken,
      active,
    }: Pick<CameraEventChange, "kind" | "sourceToken"> & Partial<CameraEventChange>,
  ): Camera[] {
    // What began before its kind was switched off ends, too.
    const isEnd = active === false && kind !== "motion";
    const all = this.#options.site.current.cameras.filter(
      (camera) => isFollowed(camera) && keyOf(camera) === question && (isEnd || isTaken(camera, kind)),
    );
    // What belongs to the device is reported for one of its channels.
    if (sourceToken === "" && OF_NO_SOURCE.has(kind))
      return all
        .toSorted((one, other) => Number(isTaken(other, kind)) - Number(isTaken(one, kind)))
        .slice(0, 1);
    const number = channelNumberOfToken(description, sourceToken);
    return number === undefined ? [] : all.filter((camera) => channelNumberOf(camera) === number);
  }
}

/** What a channel is recorded on; empty: nothing of what its camera reports. */
function recordedText(camera: Camera): string {
  const kinds = SEEN_KINDS.filter((kind) =>
    kind === "motion" ? isTaken(camera, kind) : isTaken(camera, kind) && isRecordedOn(camera, kind),
  );
  return kinds.join();
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
  const numbers = new Map<string, number>(
    profiles.map(({ channelNumber }) => [`#${channelNumber}`, channelNumber]),
  );
  const only = numbers.size === 1 ? [...numbers.values()][0] : undefined;
  const isNamed = (known: string | undefined): boolean => known?.toLowerCase() === token.toLowerCase();
  const source = videoSources.find((candidate) => isNamed(candidate.token))?.channelNumber;
  const profile = profiles.find(
    (candidate) => isNamed(candidate.sourceConfigurationToken) || isNamed(candidate.token),
  )?.channelNumber;
  return source ?? profile ?? only ?? numbers.get(token);
}
