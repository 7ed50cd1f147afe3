import path from "node:path";
import { type Clock, errorText, type Log, readPlainSync, stopInOrder } from "../../../base/index.js";
import {
  Announcements,
  CATALOGUE_BYTES_MAX,
  CameraDevices,
  CameraEvents,
  type CameraKey,
  CameraKeys,
  CameraNotes,
  CameraSnapshots,
  CameraStreams,
  CardControl,
  DeviceMemory,
  DeviceSetup,
  extendModels,
  inspectByFamily,
  KeyAsking,
  LateTalk,
  LoginBudgets,
  MaskControl,
  NotificationConsumer,
  OfferedEvents,
  PtzControl,
  RelayControl,
  type StreamAddress,
  StreamTrials,
} from "../../../camera/index.js";
import { EVENT_TYPES, type EventLog } from "../../../event/index.js";
import type { FrameReader, LiveStream, SlabPool } from "../../../live/index.js";
import type { Codec } from "../../../picture/index.js";
import { type ReadTicker, RtspSource } from "../../../rtsp/index.js";
import type { Camera, SiteStore } from "../../../site/index.js";

/** The default of the setting `modelsFile`, in the data directory. */
const MODELS_FILE = "models.json";

export interface CameraServiceOptions {
  readonly site: SiteStore;
  readonly dataDir: string;
  /** The setting `modelsFile`. */
  readonly modelsFile: string | undefined;
  /** The setting `cameraEventPort`. */
  readonly cameraEventPort: number;
  readonly pool: SlabPool;
  /** Reads back pictures that streams released because they are recorded. */
  readonly frameReader: FrameReader;
  readonly ticker: ReadTicker;
  readonly events: Pick<EventLog, "raise">;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly log: Log;
}

/** The parts that connect to cameras: devices, their stored answers, and the streams. */
export class CameraService {
  readonly streams: CameraStreams;
  readonly devices: CameraDevices;
  readonly snapshots: CameraSnapshots;
  readonly ptz: PtzControl;
  readonly relays: RelayControl;
  readonly masks: MaskControl;
  readonly eventOffers: OfferedEvents;
  readonly talk: LateTalk;
  readonly announcements: Announcements;
  readonly cards: CardControl;
  /** Tries of settings that are not stored. */
  readonly trials: StreamTrials;
  /** The tries of all logins to cameras. */
  readonly budgets: LoginBudgets;
  /** What was learned of cameras. */
  readonly notes: CameraNotes;
  /** The keys of cameras' certificates. */
  readonly keys: CameraKeys;
  /** Started by who takes them. */
  readonly events: CameraEvents;
  readonly #options: CameraServiceOptions;
  readonly #memory: DeviceMemory;
  readonly #setup: DeviceSetup;
  readonly #keyAsking: KeyAsking;

  constructor(options: CameraServiceOptions) {
    this.#options = options;
    const { site, dataDir, clock, log } = options;
    const random = Math.random;
    this.budgets = new LoginBudgets({ clock, random });
    this.#memory = new DeviceMemory({ dataDir, clock, log });
    this.notes = new CameraNotes({ dataDir, clock, log });
    const onChanged = (camera: Camera, key: CameraKey): void => this.#reportChangedKey(camera, key);
    this.keys = new CameraKeys({ site, notes: this.notes, onChanged });
    this.devices = new CameraDevices({
      site,
      inspect: inspectByFamily,
      budgets: this.budgets,
      memory: this.#memory,
      notes: this.notes,
      keys: this.keys,
      clock,
      random,
      log,
    });
    this.snapshots = new CameraSnapshots({ site, devices: this.devices, budgets: this.budgets, clock });
    const shared = { site, devices: this.devices, budgets: this.budgets, clock, log };
    this.ptz = new PtzControl(shared);
    this.relays = new RelayControl(shared);
    this.masks = new MaskControl(shared);
    this.eventOffers = new OfferedEvents(shared);
    const { events, codec, pool, frameReader } = options;
    this.talk = new LateTalk({ ...shared, events, codec, pool });
    this.announcements = new Announcements({ dataDir, talk: this.talk, codec, clock, log });
    this.cards = new CardControl({ ...shared, pool });
    const consumer = new NotificationConsumer({ port: options.cameraEventPort, log });
    this.events = new CameraEvents({ ...shared, consumer, random });
    this.#setup = new DeviceSetup({ site, devices: this.devices, clock, log });
    this.#keyAsking = new KeyAsking(shared);
    const createSource = (address: StreamAddress, stream: LiveStream) => this.#createSource(address, stream);
    this.trials = new StreamTrials({ createSource, clock, log });
    const gopStore = { reader: frameReader, clock };
    this.streams = new CameraStreams({ site, devices: this.devices, createSource, gopStore, clock, log });
  }

  start(): void {
    this.#readModels();
    this.#memory.start();
    this.notes.start();
    this.#setup.start();
    this.streams.start();
  }

  async stop(): Promise<void> {
    await stopInOrder(
      [this.ptz, this.relays, this.talk, this.#setup, this.streams, this.#memory, this.notes],
      this.#options.log,
    );
  }

  /** An invalid file only disables its own models; all other cameras are recorded. */
  #readModels(): void {
    const { modelsFile, dataDir, log } = this.#options;
    const file = modelsFile ?? path.join(dataDir, MODELS_FILE);
    try {
      const text = readPlainSync(file, CATALOGUE_BYTES_MAX).toString("utf8");
      const warning = extendModels(text);
      if (warning === undefined) log.info({ file }, "camera models added");
      else log.error({ file }, `the file of camera models is not used: ${warning.problem}`);
    } catch (error) {
      const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
      if (isMissing && modelsFile === undefined) return;
      log.error({ file }, `the file of camera models cannot be read: ${errorText(error)}`);
    }
  }

  #createSource(address: StreamAddress, stream: LiveStream): RtspSource {
    const { pool, clock, ticker, log } = this.#options;
    const { url, tunnelUrl, login, password, device, wantAudio } = address;
    const { secureOnly, ipv4Only, redirectsAnywhere } = address;
    const { notes, keys } = this;
    const { channelId } = stream.key;
    const onvifCamera = (): Camera | undefined => this.#onvifCamera(stream);
    const isNamed = login !== "" || password !== "";
    return new RtspSource({
      url,
      tunnelUrl,
      credentials: isNamed ? { user: login, password } : undefined,
      loginGate: this.budgets.gate({ device, login, password }),
      transport: "auto",
      stream,
      pool,
      clock,
      random: Math.random,
      log,
      ticker,
      wantAudio,
      secureOnly,
      ipv4Only,
      redirectsAnywhere,
      acceptsKey: (port, key) => keys.accepts(channelId, port, key),
      digestOnly: () => {
        const camera = onvifCamera();
        return camera !== undefined && notes.of(camera)?.streamsTookDigest === true;
      },
      onKeyWanted: () => void this.#keyAsking.ask(stream.key),
      onDigest: () => {
        const camera = onvifCamera();
        if (camera !== undefined) notes.learn(camera, { streamsTookDigest: true });
      },
    });
  }

  #reportChangedKey(camera: Camera, { port, sha256, offered }: CameraKey): void {
    const { events, log } = this.#options;
    log.warn(
      { channelId: camera.id, port, sha256, offered },
      "the camera shows another certificate than before",
    );
    events.raise({
      typeId: EVENT_TYPES.cameraKeyChanged.id,
      channelId: camera.id,
      channelName: camera.name,
      comment: `port ${port}: ${offered} instead of ${sha256}; the login is not sent until the new one is accepted`,
    });
  }

  /** The camera of a stream, where its address is found by ONVIF: only such a camera can be another device one day. */
  #onvifCamera({ key }: LiveStream): Camera | undefined {
    const { cameras } = this.#options.site.current;
    return cameras.find(
      (camera) => camera.id === key.channelId && this.devices.inspection(camera) !== undefined,
    );
  }
}
