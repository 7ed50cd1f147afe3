import type { ScenarioControl } from "../alarm/scenario/index.js";
import {
  type Clock,
  type ClockTimer,
  type Guid,
  type Log,
  SEEN_KINDS,
  type SeenKind,
  US_PER_SECOND,
} from "../base/index.js";
import type { UpdateState } from "../box/update/index.js";
import type { Ptz } from "../camera/index.js";
import { EVENT_TYPES, type EventLog, type EventRecord, type EventSubscription } from "../event/index.js";
import { camerasHealth, type HealthFigures, type MqttHealth } from "../health/index.js";
import type { StreamDirectory } from "../live/index.js";
import {
  hasManualPart,
  type ManualRequest,
  type MotionStates,
  type RecordingState,
  type SeenStates,
  type ZoneState,
  type ZoneStates,
} from "../recording/index.js";
import type { Camera, SiteStore, UserScenario } from "../site/index.js";
import type { BrokerSettings } from "./broker-settings.js";
import { channelStates } from "./channel-states.js";
import { Devices } from "./devices.js";
import { isWanted, zoneKeys } from "./discovery.js";
import { KnownPresets } from "./known-presets.js";
import { MotionPictures } from "./motion-pictures.js";
import type { MqttActor } from "./mqtt-actor.js";
import { type CommandOutcome, MqttCommands } from "./mqtt-commands.js";
import { MqttLink } from "./mqtt-link.js";
import { MqttOutbox } from "./mqtt-outbox.js";
import { MqttTopics, plainId } from "./mqtt-topics.js";
import { PublishedTopics } from "./published-topics.js";
import { RecorderWatch } from "./recorder-watch.js";

/** How often channels and the recorder are looked at, besides what notifies of its changes. */
export const CHANNELS_INTERVAL_MS = 5_000;
export const RECORDER_INTERVAL_MS = 15_000;
/** Changes of one moment are published together. */
const TOGETHER_MS = 50;
/** Home Assistant gets all of it at most so often. */
const AGAIN_US = 5 * US_PER_SECOND;
const CLIENT_ID_LENGTH = 16;

export interface MqttSettings {
  readonly broker: BrokerSettings;
  readonly prefix: string;
  /** Home Assistant's prefix; empty: nothing is published for it. */
  readonly discoveryPrefix: string;
}

/** Recording as the bridge sees and commands it. */
export interface MqttRecording {
  readonly motion: Pick<MotionStates, "isActive" | "onMotion">;
  readonly seen: Pick<SeenStates, "of" | "onChange">;
  readonly zones: Pick<ZoneStates, "of" | "onChange">;
  state(channelId: Guid): RecordingState;
  manualSwitch(channelId: Guid): object | undefined;
  switchManually(request: ManualRequest): Promise<boolean>;
}

interface MqttBridgeOptions {
  readonly settings: MqttSettings;
  readonly dataDir: string;
  readonly site: Pick<SiteStore, "current">;
  readonly events: Pick<EventLog, "onEvent" | "raise">;
  readonly streams: StreamDirectory;
  readonly recording: MqttRecording;
  readonly ptz: Ptz;
  readonly scenarios: Pick<ScenarioControl, "run" | "isOffered">;
  readonly figures: () => Promise<HealthFigures>;
  readonly update: () => UpdateState;
  /** Whom it acts for, by the present configuration. */
  readonly actor: () => MqttActor;
  /** The channel's present picture as a JPEG. */
  readonly picture: (channelId: Guid, signal: AbortSignal) => Promise<Uint8Array>;
  /** An event as the item of `/event` shows it. */
  readonly eventText: (event: EventRecord) => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The recorder's place at an MQTT broker: states, events, commands, and devices for Home Assistant. */
export class MqttBridge {
  readonly #options: MqttBridgeOptions;
  readonly #log: Log;
  readonly #topics: MqttTopics;
  readonly #outbox = new MqttOutbox();
  readonly #link: MqttLink;
  readonly #published: PublishedTopics;
  readonly #devices: Devices;
  readonly #recorder: RecorderWatch;
  readonly #commands: MqttCommands;
  readonly #presets: KnownPresets;
  readonly #pictures: MotionPictures;
  readonly #timers: ClockTimer[] = [];
  #subscriptions: EventSubscription[] = [];
  #soon: ClockTimer | undefined;
  #again: ClockTimer | undefined;
  #problem: string | undefined;
  #heard:
    | { readonly topics: ReadonlySet<string>; onMessage(topic: string, payload: Uint8Array): void }
    | undefined;
  #hasFailed = false;
  #changedUs: number;
  #publishedUs = Number.NEGATIVE_INFINITY;

  constructor(options: MqttBridgeOptions) {
    this.#options = options;
    const { settings, site, clock, dataDir, recording, ptz, picture } = options;
    const { broker, prefix, discoveryPrefix } = settings;
    const { id: serverId } = site.current.server;
    const log = options.log.child({ part: "mqtt" });
    const outbox = this.#outbox;
    this.#log = log;
    this.#changedUs = clock.nowUs();
    const topics = new MqttTopics(prefix, serverId, discoveryPrefix);
    this.#topics = topics;
    const common = { clock, log };
    this.#published = new PublishedTopics({
      ...{ dataDir, broker: broker.url, ...common },
      topics: () => outbox.keptTopics(),
    });
    this.#devices = new Devices({
      ...{ topics, outbox, published: this.#published, site },
      scenarios: () => this.#buttonScenarios(),
    });
    this.#recorder = new RecorderWatch({ ...options, topics, outbox, devices: this.#devices });
    this.#presets = new KnownPresets({ ptz, ...common, onChange: () => this.#refreshSoon() });
    this.#pictures = new MotionPictures({
      ...{ picture, ...common },
      onPicture: (id, jpeg) => {
        // The right may have gone while it was made.
        if (options.actor().mayWatch(id)) this.#set(topics.picture(id), jpeg);
      },
    });
    this.#commands = new MqttCommands({
      ...{ actor: options.actor, recording, ptz, scenarios: options.scenarios, ...common },
      camera: (id) => site.current.cameras.find((camera) => camera.id === id),
      onOutcome: (outcome) => this.#audit(outcome),
      answer: ({ id, kind }, text) => this.#publish(topics.answer(id, kind), text),
    });
    this.#link = new MqttLink({
      ...{ broker, outbox, clock, statusTopic: topics.status, subscriptions: topics.subscriptions },
      clientId: `nvrd-${plainId(serverId).slice(0, CLIENT_ID_LENGTH)}`,
      onMessage: (topic, payload, isRetained) => this.#receive(topic, payload, isRetained),
      onConnected: () => this.#onConnected(),
      onProblem: (problem) => this.#onProblem(problem),
    });
  }

  /** The state of the connection, for the health report. */
  get health(): MqttHealth {
    return {
      broker: this.#options.settings.broker.url,
      isConnected: this.#link.isConnected,
      sinceUs: this.#changedUs,
      problem: this.#problem ?? null,
      waitingMessages: this.#outbox.waiting,
      droppedMessages: this.#outbox.dropped,
      publishedMessages: this.#link.published,
      commandsDone: this.#commands.counts.done,
      commandsRefused: this.#commands.counts.refused,
    };
  }

  /** Why no messages of other topics come; undefined: they do. */
  get problem(): string | undefined {
    return this.#link.isConnected ? this.#link.refusal : (this.#problem ?? "not connected yet");
  }

  /** Subscribes to the topics of others, and to no further ones. Retained messages are left out: they are of the past. */
  listen(topics: readonly string[], onMessage: (topic: string, payload: Uint8Array) => void): void {
    this.#heard = { topics: new Set(topics), onMessage };
    this.#link.subscribe(topics);
  }

  start(): void {
    const { clock, events, recording } = this.#options;
    this.#published.start();
    this.#outbox.set(this.#topics.status, "online");
    this.#subscriptions = [
      events.onEvent((event) => this.#onEvent(event)),
      recording.motion.onMotion(({ channelId, active }) => {
        this.#refreshSoon();
        if (active && this.#options.actor().mayWatch(channelId)) this.#pictures.take(channelId);
      }),
      recording.seen.onChange(() => this.#refreshSoon()),
      recording.zones.onChange(() => this.#refreshSoon()),
    ];
    this.#timers.push(
      clock.setInterval(() => this.#refresh(), CHANNELS_INTERVAL_MS),
      clock.setInterval(() => void this.#refreshRecorder(), RECORDER_INTERVAL_MS),
    );
    this.#refresh();
    void this.#refreshRecorder();
    this.#link.start();
  }

  async stop(): Promise<void> {
    for (const { close } of this.#subscriptions.splice(0)) close();
    for (const timer of [...this.#timers.splice(0), this.#soon, this.#again]) timer?.clear();
    this.#pictures.stop();
    this.#presets.stop();
    await this.#link.stop();
    await this.#published.stop();
  }

  #onEvent(event: EventRecord): void {
    if (event.typeId === EVENT_TYPES.keepAlive.id) return;
    this.#refreshSoon();
    const shown = this.#options.actor().shown(event);
    if (shown !== undefined) this.#publish(this.#topics.events, this.#options.eventText(shown));
  }

  #receive(topic: string, payload: Uint8Array, isRetained: boolean): void {
    if (!isRetained && this.#heard?.topics.has(topic) === true) this.#heard.onMessage(topic, payload);
    const command = this.#topics.commandOf(topic);
    if (command !== undefined) {
      this.#commands.receive(command, payload, isRetained);
      return;
    }
    const isHomeAssistant = this.#topics.hasDiscovery && topic === this.#topics.homeAssistant;
    if (isHomeAssistant && !isRetained && Buffer.from(payload).toString() === "online") this.#publishAgain();
  }

  /** Home Assistant has started: it may know nothing of the devices. */
  #publishAgain(): void {
    const { clock } = this.#options;
    const waitUs = this.#publishedUs + AGAIN_US - clock.monotonicUs();
    if (this.#again !== undefined) return;
    this.#again = clock.setTimeout(
      () => {
        this.#again = undefined;
        this.#publishedUs = clock.monotonicUs();
        this.#outbox.sendAllAgain();
        this.#link.send();
      },
      Math.max(0, waitUs / 1000),
    );
  }

  #refreshSoon(): void {
    this.#soon ??= this.#options.clock.setTimeout(() => {
      this.#soon = undefined;
      this.#refresh();
    }, TOGETHER_MS);
  }

  /** Publishes what has changed of the channels. */
  #refresh(): void {
    const { site, streams, recording, actor: actorNow } = this.#options;
    const actor = actorNow();
    const cameras = site.current.cameras.filter(({ id }) => actor.maySee(id));
    const healths = camerasHealth(cameras, { streams, recording, losses: [] });
    const present = new Map<Guid, Camera>();
    for (const [index, camera] of cameras.entries()) {
      const health = healths[index];
      if (health === undefined) continue;
      present.set(camera.id, camera);
      const states = channelStates(this.#topics, {
        ...{ camera, health },
        hasMotion: recording.motion.isActive(camera.id),
        seen: this.#seen(camera),
        zones: this.#zones(camera),
        isSwitchedOn: recording.manualSwitch(camera.id) !== undefined,
        isSwitchable: !camera.disabled && hasManualPart(camera),
      });
      for (const [topic, value] of states) this.#set(topic, value);
    }
    const movable = cameras.filter((camera) => isMovable(camera, actor));
    this.#presets.ask(movable);
    this.#devices.followChannels(cameras, {
      maySwitch: actor.user !== undefined && actor.maySwitchRecording,
      presets: (id) => (movable.some((camera) => camera.id === id) ? this.#presets.of(id) : []),
      seen: (id) => cameras.filter((camera) => camera.id === id).flatMap((of) => [...this.#seen(of).keys()]),
      zones: (id) => cameras.filter((camera) => camera.id === id).flatMap((of) => this.#zones(of)),
    });
    this.#removeOthers(
      (id) => present.has(id),
      (id) => actor.mayWatch(id),
    );
    this.#link.send();
  }

  /** What the camera can report, as far as the owner wants it. */
  #seen(camera: Camera): ReadonlyMap<SeenKind, boolean> {
    const all = this.#options.recording.seen.of(camera.id);
    return new Map([...all].filter(([kind]) => isWanted(camera, kind)));
  }

  /** The same of what is looked for in its zones. */
  #zones(camera: Camera): readonly ZoneState[] {
    return this.#options.recording.zones.of(camera.id).filter(({ kind }) => isWanted(camera, kind));
  }

  #wants(channelId: string, name: string | undefined, zone?: string): boolean {
    const camera = this.#options.site.current.cameras.find(({ id }) => id === channelId);
    const kind = SEEN_KINDS.find((seen) => seen === name);
    if (camera === undefined || kind === undefined || !isWanted(camera, kind)) return false;
    return zone === undefined || zoneKeys(camera).includes(zone);
  }

  async #refreshRecorder(): Promise<void> {
    await this.#recorder.refresh();
    this.#link.send();
  }

  /** Removes the topics of channels that are gone, or are not to be seen any more, and pictures that are not. */
  #removeOthers(isPresent: (channelId: Guid) => boolean, mayWatch: (channelId: Guid) => boolean): void {
    const start = `${this.#topics.base}/channels/`;
    const belongs = (topic: string): boolean => {
      if (!topic.startsWith(start)) return this.#devices.belongs(topic) ?? this.#recorder.belongs(topic);
      const [id = "", group, name, kind] = topic.slice(start.length).split("/");
      if (group === "seen" && !this.#wants(id, name)) return false;
      if (group === "zones" && !this.#wants(id, kind, name)) return false;
      return isPresent(id) && (topic !== this.#topics.picture(id) || mayWatch(id));
    };
    const outbox = this.#outbox;
    const gone = [...outbox.topics(), ...outbox.leftAtBroker()].filter((topic) => !belongs(topic));
    for (const topic of [...gone, ...this.#published.takeOrphans(belongs)]) {
      outbox.remove(topic);
      this.#published.changed();
    }
  }

  /** Those that a button may start: a button cannot ask for a confirmation. */
  #buttonScenarios(): readonly UserScenario[] {
    const { site, actor: actorNow, scenarios } = this.#options;
    const actor = actorNow();
    if (actor.user === undefined || !actor.mayRunScenarios) return [];
    return site.current.userScenarios.filter(
      (scenario) => !scenario.needConfirmation && scenarios.isOffered(scenario, (id) => actor.maySee(id)),
    );
  }

  #set(topic: string, value: string | Uint8Array): void {
    const isNew = !this.#outbox.has(topic);
    if (!this.#outbox.set(topic, value)) return;
    if (isNew) this.#published.changed();
    this.#link.send();
  }

  #publish(topic: string, text: string): void {
    this.#outbox.add({ topic, payload: Buffer.from(text), retain: false });
    this.#link.send();
  }

  #audit({ kind, value, camera, actor, refusal }: CommandOutcome): void {
    const { user } = actor;
    const outcome = refusal === undefined ? "" : `: refused: ${refusal.message}`;
    this.#options.events.raise({
      typeId: EVENT_TYPES.mqttCommand.id,
      comment: `${kind} ${value}${outcome}`,
      ...(camera === undefined ? {} : { channelId: camera.id, channelName: camera.name }),
      ...(user === undefined ? {} : { initiator: { type: 1, id: user.id, name: user.name } }),
    });
    this.#refreshSoon();
  }

  #onConnected(): void {
    const { clock, events, settings } = this.#options;
    this.#changedUs = clock.nowUs();
    this.#publishedUs = clock.monotonicUs();
    this.#problem = undefined;
    this.#log.info({ broker: settings.broker.url }, "connected to the MQTT broker");
    if (!this.#hasFailed) return;
    this.#hasFailed = false;
    events.raise({ typeId: EVENT_TYPES.mqttBack.id, comment: settings.broker.url });
  }

  #onProblem(problem: string): void {
    const { clock, events, settings } = this.#options;
    const isNew = problem !== this.#problem;
    if (!this.#hasFailed) this.#changedUs = clock.nowUs();
    this.#problem = problem;
    const { url } = settings.broker;
    if (isNew) this.#log.warn({ broker: url, problem }, "the MQTT broker cannot be used: retrying");
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    events.raise({ typeId: EVENT_TYPES.mqttLost.id, comment: `${url}: ${problem}` });
  }
}

function isMovable({ id, disabled, connection }: Camera, actor: MqttActor): boolean {
  return (
    !disabled && connection.ptzEnabled && actor.user !== undefined && actor.mayMove && actor.mayWatch(id)
  );
}
