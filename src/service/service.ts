import { mkdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import {
  type ReadablePasswords,
  type RootPassword,
  type SiteAccess,
  StalePasswordFile,
} from "../access/index.js";
import type { Alarms, Pushes } from "../alarm/index.js";
import { Scenarios } from "../alarm/scenario/index.js";
import { type ChannelDays, type RecorderClock, WRITE_TICK_MS_DEFAULT } from "../archive/index.js";
import {
  errorText,
  type Guid,
  type Log,
  LogRing,
  readBootId,
  readVersion,
  type StartedPart,
  stopInOrder,
} from "../base/index.js";
import { type OwnDevice, recorderIdentity } from "../camera/index.js";
import { EVENT_TYPES, type LmdbEventLog } from "../event/index.js";
import {
  type DiskHistory,
  type DiskWatch,
  interruptionOf,
  interruptionText,
  RunHistory,
} from "../health/index.js";
import { ControlServer } from "../host/control/index.js";
import { LmdbGuard } from "../kept/lmdb/index.js";
import type { StreamDirectory } from "../live/index.js";
import type { OwnMeans } from "../reserve/index.js";
import { ReadTicker } from "../rtsp/index.js";
import type { Settings } from "../settings/index.js";
import { LmdbSiteStore, ROOT_USER_NAME, type Site, type User } from "../site/index.js";
import type { ApiServer, ApiServerOptions } from "./api/index.js";
import {
  readConfigRequest,
  registerPasswordReset,
  registerVolumeCommands,
  runConfigRequest,
} from "./control/index.js";
import { createAccess, createReadablePasswords, forgetPasswordsOfNobody } from "./part/access-service.js";
import { createAlarms } from "./part/alarm-service.js";
import { AnalysisService } from "./part/analysis-service.js";
import { createApi } from "./part/api-service.js";
import { AwayService } from "./part/away/away-service.js";
import { BucketService, withoutChannels } from "./part/away/bucket-service.js";
import { ReplicaService } from "./part/away/replica-service.js";
import { CrashWatch } from "./part/crash-watch.js";
import { descriptorShares } from "./part/descriptor-shares.js";
import { createEventLog } from "./part/event-service.js";
import { giveRootPassword } from "./part/first-password.js";
import { OwnerChoices } from "./part/first-run.js";
import { type FleetLogins, FleetService } from "./part/fleet/fleet-service.js";
import { PartnerService } from "./part/fleet/partner-service.js";
import { sharedLoginsId } from "./part/fleet/shared-hub.js";
import { HealthService, registerSupportCommand } from "./part/health-service.js";
import { MemoryService } from "./part/memory-service.js";
import { preRollBytes, rtspConnections } from "./part/memory-shares.js";
import { MonitoringService } from "./part/monitoring-service.js";
import { MqttPart } from "./part/mqtt-service.js";
import { NetworkService } from "./part/network-service.js";
import { OnvifPart } from "./part/onvif-service.js";
import { PictureService } from "./part/picture-service.js";
import { checkPorts } from "./part/port-check.js";
import { createPushes } from "./part/push-service.js";
import { ArchiveService } from "./part/record/archive-service.js";
import { CameraService } from "./part/record/camera-service.js";
import { CardService } from "./part/record/card-service.js";
import { registerCheckCommand } from "./part/record/check-archive.js";
import { createClock } from "./part/record/clock-service.js";
import { DiscoveryService } from "./part/record/discovery-service.js";
import { createDiskHistory, createDiskWatch } from "./part/record/disk-service.js";
import { FindingService, type FindingServiceOptions } from "./part/record/finding-service.js";
import { MotionDetection } from "./part/record/motion-detection.js";
import { RecordingProgress } from "./part/record/recording-progress.js";
import { RecordingService } from "./part/record/recording-service.js";
import { StorageService } from "./part/record/storage-service.js";
import { ownMeans } from "./part/reserve/own-means.js";
import { ReserveService, switchOffCamerasOfOthers } from "./part/reserve/reserve-service.js";
import { ServiceRestarts } from "./part/restarts.js";
import { RtspOutlet } from "./part/rtsp-outlet.js";
import { ServiceLog } from "./part/service-log.js";
import { SightService } from "./part/sight/sight-service.js";
import { CameraEventSources } from "./report/camera-event-sources.js";
import { EventSources } from "./report/event-sources.js";
import { RedatedEvents } from "./report/redated-events.js";
import { reportChangesBefore } from "./report/unreported-changes.js";
import { knownSecrets, UpdateService, updatePart } from "./shared/index.js";

/** The addresses of the started service, and root's login. */
export interface ServiceAddresses {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** 0: off, or the port is not available at the moment. */
  readonly rtspPort: number;
  /** The file with root's generated password, while that password is valid. */
  readonly passwordFile: string | undefined;
  /** Whether root's password is the one from the environment. */
  readonly isPasswordFromEnvironment: () => Promise<boolean>;
}

export interface ServiceHooks {
  /** Shows a text to the installer once: root's first password. */
  announce(text: string): void;
  /** Root may keep the generated password on the page: it is shown at each start. False by default. */
  readonly keepsFirstPassword?: boolean;
  /** The buffer of the newest log lines, for the support bundle and for administrators. */
  readonly logLines?: LogRing;
  /** The log goes to the journal, which goes back further. */
  readonly isJournalled?: boolean;
  /** May change the configuration before it takes effect: gets the configuration, returns an edit. */
  readonly prepareSite?: (site: Site) => Promise<(site: Site) => Site>;
}

type ServerPorts = Pick<ServiceAddresses, "httpPort" | "httpsPort" | "rtspPort">;

/** The recording parts that the servers need. */
interface RunningRecorder {
  readonly cameras: CameraService;
  readonly recording: RecordingService;
  readonly health: HealthService;
  readonly devices: ApiServerOptions["devices"];
  readonly storage: ApiServerOptions["storage"];
  readonly network: NetworkService;
  readonly scenarios: Scenarios;
  readonly monitoring: MonitoringService;
  readonly gapFills: CardService;
  readonly reserve: ReserveService;
  readonly analysis: AnalysisService;
  readonly findings: FindingService;
}

/** The whole service: creates and connects the parts, starts them in order, stops them in reverse. */
export class Service {
  readonly site: LmdbSiteStore;
  readonly events: LmdbEventLog;
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #hooks: ServiceHooks;
  readonly #clock: RecorderClock;
  readonly #owner: OwnerChoices;
  readonly #disks: DiskWatch;
  readonly #diskHistory: DiskHistory;
  readonly #crashes: CrashWatch;
  readonly #guard: LmdbGuard;
  readonly #archive: ArchiveService;
  readonly #redated: RedatedEvents;
  readonly #memory: MemoryService;
  readonly #ticker: ReadTicker;
  readonly #control: ControlServer;
  readonly #pictures: PictureService;
  readonly #alarms: Alarms;
  readonly #pushes: Pushes;
  readonly #away: AwayService;
  /** The archive is a bucket; undefined: it is on disks. */
  readonly #bucket: BucketService | undefined;
  readonly #readable: ReadablePasswords;
  #onvif: OnvifPart | undefined;
  readonly #fleet: FleetService;
  #logins: FleetLogins | undefined;
  readonly #partners: PartnerService;
  #findings: FindingService | undefined;
  readonly #replicas: ReplicaService;
  #api: ApiServer | undefined;
  #rtsp: RtspOutlet | undefined;
  readonly #restarts: ServiceRestarts;
  readonly #runs: RunHistory;
  #health: HealthService | undefined;
  #addresses: ServiceAddresses | undefined;
  /** Whether cameras were configured at the start. */
  #recordsAtStart = false;
  /** Whether a user still has the password that was generated at the first start. */
  #mustChangePassword: NonNullable<ApiServerOptions["mustChangePassword"]> = () => false;
  #progress: RecordingProgress | undefined;
  /** The started parts, for stopping in reverse. */
  readonly #started: StartedPart[] = [];

  constructor(settings: Settings, log: Log, hooks: ServiceHooks) {
    this.#settings = settings;
    this.#log = log;
    this.#hooks = hooks;
    const { dataDir, language, timeZoneChoice } = settings;
    this.#owner = new OwnerChoices({ dataDir, language, timeZoneChoice, environment: process.env, log });
    const bootId = readBootId(log);
    const clock = createClock({ settings, bootId, log });
    this.#clock = clock;
    this.#runs = new RunHistory({ dataDir: settings.dataDir, bootId, version: readVersion(), clock, log });
    const { updateDir } = settings;
    this.#restarts = new ServiceRestarts({ dataDir, updateDir, runs: this.#runs, clock });
    this.#crashes = new CrashWatch({ runs: this.#runs, clock, log });
    this.#guard = new LmdbGuard(log, this.#crashes.rejected);
    const isBucket = settings.bucketEndpoint !== undefined;
    const checkedAs = isBucket ? { checkedAs: withoutChannels } : {};
    this.site = new LmdbSiteStore({ directory: settings.dataDir, clock, log, ...checkedAs });
    this.#readable = createReadablePasswords({ settings, site: this.site, clock, log });
    this.events = createEventLog({ settings, language: () => this.#owner.language, bootId, clock, log });
    this.#memory = new MemoryService({ settings, events: this.events, clock, log });
    const { shares } = this.#memory;
    this.#alarms = createAlarms({
      ...{ settings, site: this.site, events: this.events, dataDir, clock, log },
      language: () => this.#owner.language,
      pictures: () => ({ archive: this.#archive.archive, stills: this.#pictures.stills }),
    });
    this.#pushes = createPushes({ settings, site: this.site, events: this.events, clock, log });
    const { events, site } = this;
    this.#redated = new RedatedEvents({ events, site, knowledge: clock, clock, log });
    this.#archive = new ArchiveService({
      ...{ settings, clock, knowledge: clock, bootId, shares, log },
      hasCameras: () => this.site.current.cameras.length > 0,
      daysOf: (channelId) => archiveDays(this.site.current, channelId),
      channelNames: () => channelNames(this.site.current),
      notice: (notice) => this.#redated.report(notice),
    });
    this.#partners = new PartnerService({
      ...{ settings, site: this.site, events: this.events, clock, log, api: () => this.#api },
      notes: () => this.#fleet.notes,
    });
    this.#replicas = new ReplicaService({
      ...{ settings, site: this.site, archive: this.#archive, clock, log },
      whenPartners: (use) => this.#partners.whenUsed(use),
    });
    this.#away = this.#createAway({ dataDir, clock, log });
    const bucket = { settings, own: this.site, archive: this.#archive, clock, log };
    this.#bucket = isBucket ? new BucketService(bucket) : undefined;
    this.#fleet = new FleetService({
      ...{ settings, site: this.site, clock, log, api: () => this.#api },
      health: () => this.#health?.monitor.digest(),
      logins: () => this.#logins,
    });
    const volumePaths = () => this.#archive.overload().volumes.map(({ directory }) => directory);
    this.#diskHistory = createDiskHistory(settings.dataDir, clock, log);
    const reporting = { events: this.events, history: this.#diskHistory };
    this.#disks = createDiskWatch({ settings, volumePaths, ...reporting, bootId, clock, log });
    const periodMs = settings.readTickMs;
    // With the archive's batches, where nobody waits for frames: read earlier, they would only lie in memory.
    const patientMs = Math.max(periodMs, Math.min(2 * periodMs, WRITE_TICK_MS_DEFAULT));
    this.#ticker = new ReadTicker({ clock, periodMs, patientMs });
    this.#pictures = new PictureService({ settings, shares, clock, log });
    this.#control = new ControlServer({ dataDir: settings.dataDir, clock, log });
  }

  /** Resolves if the service cannot continue. */
  get failure(): Promise<Error> {
    return this.#archive.failure;
  }

  /** Resolves if it is to be stopped and started again. */
  get restart(): Promise<void> {
    return this.#restarts.asked;
  }

  /** The addresses of the service. Throws before `start` has resolved. */
  get addresses(): ServiceAddresses {
    if (this.#addresses === undefined) throw new Error("the service is not started");
    return this.#addresses;
  }

  /** The recorders of the hub that this is; undefined: it is none. */
  get boxes(): FleetService["boxes"] {
    return this.#fleet.boxes;
  }

  /** The health of the recorder in one line; undefined until it has begun to record. */
  get healthSummary(): string | undefined {
    return this.#health?.monitor.summary();
  }

  /** Why recording is stuck although all requirements are met; undefined while it works. */
  stuckReason(): string | undefined {
    return this.#progress?.stuckReason();
  }

  /** Starts all parts. If one fails, it and those before it are stopped, and its error is thrown. */
  async start(): Promise<void> {
    try {
      await this.#startParts();
    } catch (error) {
      this.#runs.expectEnd("failed", errorText(error));
      // Errors of the stop are only logged; they must not hide why the start failed.
      await Promise.allSettled([this.stop()]);
      throw error;
    }
  }

  /**
   * Stops in reverse: viewers, then recording, then the archive, then the events and the configuration. Each part is stopped
   * even if others fail; rejects with the errors.
   */
  async stop(): Promise<void> {
    if (this.#addresses !== undefined && this.#started.length > 0)
      this.events.raise({ typeId: EVENT_TYPES.serviceStopped.id });
    await stopInOrder(this.#started.splice(0).reverse(), this.#log);
  }

  /** A part whose start fails half-way is also stopped; each part's `stop` supports that. */
  #begin<T>(part: StartedPart & { start(): T }): T {
    this.#started.push(part);
    return part.start();
  }

  async #startParts(): Promise<void> {
    const root = await this.#startStores();
    if (root.file !== undefined && this.#hooks.keepsFirstPassword !== true)
      this.#mustChangePassword = hasPresentPassword(this.site.current);
    const recorder = await this.#startRecorder();
    const ports = await this.#startServers(recorder);
    this.#addresses = {
      ...ports,
      passwordFile: root.file,
      isPasswordFromEnvironment: root.isFromEnvironment ?? (() => Promise.resolve(false)),
    };
    this.events.raise({ typeId: EVENT_TYPES.serviceStarted.id, comment: readVersion() });
  }

  /** Clock, configuration and events, and the first password. */
  async #startStores(): Promise<RootPassword> {
    const log = this.#log;
    this.#begin(this.#guard);
    await mkdir(this.#settings.dataDir, { recursive: true });
    this.#begin(this.#clock);
    this.#begin(this.#runs);
    this.#begin(this.#crashes);
    void this.failure.then((error) => this.#runs.expectEnd("failed", error.message));
    await this.#begin(this.site);
    await switchOffCamerasOfOthers(this.site);
    this.#bucket?.requireNoCameras();
    await forgetPasswordsOfNobody(this.#settings, this.site.current, log);
    this.#begin(this.#readable);
    // With cameras, recording comes first: unavailable ports are retried instead of failing the start.
    this.#recordsAtStart = this.site.current.cameras.length > 0;
    if (!this.#recordsAtStart && !this.#settings.portFallback) await checkPorts(this.#settings);
    await this.#begin(this.events);
    this.#begin(this.#alarms);
    this.#begin(this.#pushes);
    this.#reportInterruption();
    await reportChangesBefore({ site: this.site, events: this.events, runs: this.#runs, log });
    const { dataDir } = this.#settings;
    const { announce } = this.#hooks;
    const store = this.site;
    const root = await giveRootPassword({ store, dataDir, environment: process.env, announce, log });
    this.#begin(new StalePasswordFile({ store, dataDir, log, isValid: root.file !== undefined }));
    const prepared = await this.#hooks.prepareSite?.(this.site.current);
    if (prepared !== undefined) await this.site.change(prepared);
    return root;
  }

  /** The timeline and the owner learn from the event log that the last run did not end in order. */
  #reportInterruption(): void {
    const [, last] = this.#runs.runs;
    const interruption = last === undefined ? undefined : interruptionOf(last);
    if (interruption === undefined) return;
    const comment = interruptionText(interruption);
    this.events.raise({ typeId: EVENT_TYPES.serviceInterrupted.id, comment });
  }

  /** Starts the archive, the disks, the cameras and recording. */
  async #startRecorder(): Promise<RunningRecorder> {
    const log = this.#log;
    const { archive } = this.#archive;
    archive.onNotice((notice) => this.#redated.report(notice));
    this.#redated.start();
    await this.#begin(this.#archive);
    this.#begin(this.#disks);
    const disks = { disks: this.#disks, events: this.events, clock: this.#clock, log };
    const storage = new StorageService({ settings: this.#settings, archive: this.#archive, ...disks });
    this.#begin(storage);
    const network = new NetworkService({ settings: this.#settings, ...disks });
    await this.#begin(network);
    const cameras = this.#createCameras();
    const { streams } = cameras;
    const recording = this.#createRecording(streams);
    this.#begin(this.#memory);
    const health = this.#createHealth(cameras, recording);
    this.#begin(health);
    this.#begin(cameras);
    this.#begin(recording);
    this.#progress = new RecordingProgress({ archive, recording, clock: this.#clock });
    const common = { site: this.site, events: this.events, clock: this.#clock, log };
    const { motion } = recording;
    const detection = new MotionDetection({
      ...{ ...common, streams, motion, ptz: cameras.ptz, codec: this.#pictures.codec },
    });
    this.#begin(detection);
    health.monitor.watchMotion(() => detection.state);
    const findings = this.#createFindings({ motion, health, ...common });
    this.#begin(findings);
    const noteReported = (revision: number): void => this.#runs.noteReported(revision);
    const sources = new EventSources({ ...common, streams, noteReported });
    this.#begin(sources);
    const cameraEvents = new CameraEventSources({
      cameras: cameras.events,
      ...{ motion: recording.motion, seenMotion: recording.seenMotion, seen: recording.seen },
      events: this.events,
      findings,
      site: this.site,
    });
    this.#begin(cameraEvents);
    const wiring = { clock: this.#clock, log, site: this.site, control: this.#control };
    const { ptz, relays, announcements } = cameras;
    const acting = { recording, ptz, relays, announcements };
    const scenarios = new Scenarios({ ...common, ...acting, knowledge: this.#clock });
    this.#begin(scenarios);
    const monitoring = this.#createMonitoring(health);
    this.#begin(monitoring);
    const discovery = new DiscoveryService({ ...wiring, cameras, own: () => this.#ownDevice() });
    if (this.#bucket === undefined) await this.#begin(discovery);
    this.#begin(this.#pictures);
    const analysis = this.#createAnalysis(cameras, recording);
    this.#begin(analysis);
    this.#begin(this.#createSight(cameras, recording, findings, health));
    return {
      cameras,
      recording,
      health,
      devices: discovery.devices,
      storage: storage.control,
      network,
      ...{ scenarios, monitoring, analysis, findings, ...this.#createFilling(cameras, recording) },
    };
  }

  /** The recorder as it is met on the network; undefined before it can be. */
  #ownDevice(): OwnDevice | undefined {
    if (this.#api === undefined) return undefined;
    const { httpPort, httpsPort } = this.#api.reach;
    const { server } = (this.#bucket?.site ?? this.site).current;
    return { identity: recorderIdentity(server), ports: [httpPort, httpsPort] };
  }

  /** Starts the servers: updates, API, RTSP and control socket. */
  async #startServers(recorder: RunningRecorder): Promise<ServerPorts> {
    const { cameras, recording, health, storage, network } = recorder;
    const { streams } = cameras;
    const { archive } = this.#archive;
    const common = { site: this.site, events: this.events, clock: this.#clock, log: this.#log };
    const updates = new UpdateService({
      ...{ dataDir: this.#settings.dataDir, updateDir: this.#settings.updateDir },
      ...{ ...common, archive, recording, streams, reach: () => api.reach },
      onInstalled: (versions) => this.#runs.expectEnd("updated", versions),
    });
    await this.#begin(updates);
    updates.register(this.#control);
    const { updater } = updates;
    health.monitor.watchPart("update", () => updatePart(updater.state));
    health.monitor.watchHub(() => this.#fleet.state);
    health.monitor.watchPartners(() => recorder.reserve.health());
    health.monitor.watchReplicas(() => ({
      problem: this.#replicas.problem,
      shares: this.#replicas.shares(),
    }));
    if (this.#bucket !== undefined) await this.#begin(this.#bucket);
    const mqtt = this.#createMqtt(recorder, updater);
    const api: ApiServer = this.#createApi({ ...recorder, mqtt }, updater);
    this.#api = api;
    this.#memory.watch({ recording, codec: this.#pictures.codec, api });
    this.#started.push(api);
    const ports = await api.start({ keepTrying: this.#recordsAtStart });
    network.announceSoon(ports);
    const connectionsMax = Math.min(
      rtspConnections(this.#memory.shares),
      descriptorShares(this.#settings).rtsp,
    );
    const viewing = { mounts: api.rtspMounts, connectionsMax, strangers: api.strangers };
    const rtsp = new RtspOutlet({ ...common, settings: this.#settings, ...viewing });
    this.#rtsp = rtsp;
    health.monitor.watchListeners(() => rtsp.problems);
    await this.#begin(rtsp);
    if (this.#bucket === undefined) this.#begin(this.#away);
    registerCheckCommand(this.#control, this.#archive);
    this.#control.register("config", (call) =>
      runConfigRequest(this.#bucket?.site ?? this.site, readConfigRequest(call.arguments)),
    );
    this.#registerPasswordReset();
    registerVolumeCommands(this.#control, archive, storage);
    registerSupportCommand(this.#control, health);
    await this.#begin(this.#control);
    this.#begin(recorder.gapFills);
    // Last: what is published at a broker must exist, and nothing needs the broker.
    this.#begin(mqtt);
    recorder.analysis.useFeed(mqtt);
    if (this.#onvif !== undefined) await this.#begin(this.#onvif);
    await this.#begin(this.#fleet);
    this.#begin(recorder.reserve);
    await this.#begin(this.#partners);
    if (this.#bucket === undefined) this.#begin(this.#replicas);
    return { httpPort: ports.httpPort, httpsPort: ports.httpsPort, rtspPort: rtsp.port };
  }

  /** From then on the page asks root for an own password. */
  #registerPasswordReset(): void {
    const { dataDir } = this.#settings;
    const done = (): void => {
      this.#mustChangePassword = hasPresentPassword(this.site.current);
    };
    registerPasswordReset(this.#control, { store: this.site, dataDir, done });
  }

  #createMqtt(
    { cameras, recording, health, scenarios }: RunningRecorder,
    updates: ApiServerOptions["updates"],
  ): MqttPart {
    const { streams, ptz, snapshots } = cameras;
    return new MqttPart({
      ...{ settings: this.#settings, site: this.site, events: this.events },
      ...{ clock: this.#clock, log: this.#log, streams, recording, ptz, snapshots, scenarios },
      stills: this.#pictures.stills,
      monitor: health.monitor,
      update: () => updates.state,
    });
  }

  #createOnvif({ cameras, recording }: RunningRecorder, access: SiteAccess): OnvifPart {
    const nowhere = { httpPort: 0, httpsPort: 0, rtspPort: 0 };
    return new OnvifPart({
      ...{ settings: this.#settings, site: this.#bucket?.site ?? this.site, events: this.events },
      ...{ access, readable: this.#readable },
      ...{ streams: this.#bucket?.streams ?? cameras.streams, ptz: cameras.ptz },
      ...{ motion: recording.motion, seen: recording.seen },
      archive: this.#archive.archive,
      ...{ ports: () => this.#api?.reach ?? nowhere, clock: this.#clock, log: this.#log },
    });
  }

  #createRecording(streams: StreamDirectory): RecordingService {
    return new RecordingService({
      site: this.site,
      streams,
      archive: this.#archive.archive,
      events: this.events,
      clock: this.#clock,
      knowledge: this.#clock,
      preRollBytesMax: preRollBytes(this.#memory.shares),
      ...{ dataDir: this.#settings.dataDir, log: this.#log },
    });
  }

  #createApi(
    recorder: RunningRecorder & { readonly mqtt: MqttPart },
    updates: ApiServerOptions["updates"],
  ): ApiServer {
    const { cameras, recording, health, devices, storage, network, scenarios, monitoring } = recorder;
    const { streams, ptz, relays, eventOffers, talk, announcements, cards, snapshots } = cameras;
    const { trials: streamTrials, notes: formats } = cameras;
    const { gapFills, analysis, findings, reserve } = recorder;
    const settings = this.#settings;
    const site = this.#bucket?.site ?? this.site;
    const common = { site, events: this.events, clock: this.#clock, log: this.#log };
    const shown = {
      streams: this.#bucket?.streams ?? streams,
      recording,
      devices,
      ptz,
      ...{ relays, masks: cameras.masks, eventOffers },
      cameraKeys: cameras.keys,
      ...{ talk, announcements, cards, gapFills },
      ...{ formats, snapshots, streamTrials },
      motion: recording.motion,
      updates,
      restarts: this.#restarts,
      revisions: site,
      storage,
      network: network.control,
      scenarios,
      monitoringStates: monitoring,
      ...{ analysis, ...findings.shown },
      ...(this.#bucket === undefined ? {} : { findings: this.#bucket.findings }),
    };
    const readable = this.#readable;
    const { access, sessions, directory, oidc } = createAccess({ settings, readable, ...common });
    this.#logins = { sessions, oidc };
    const onvif = this.#createOnvif(recorder, access);
    this.#onvif = onvif;
    access.useHub(() => this.#fleet.admission);
    // Before the API in the list, so that it is stopped after it, and the last uses are written.
    this.#started.push(sessions, access);
    return createApi({
      settings,
      parts: {
        ...common,
        ...shown,
        directory,
        ...{ broker: recorder.mqtt, onvifDevice: onvif },
        ...{
          access,
          sessions,
          oidc,
          mustChangePassword: (user) => this.#mustChangePassword(user),
          firstRun: this.#owner,
        },
        ...{ alarms: this.#alarms, pushes: this.#pushes },
        away: this.#away,
        diskHistory: this.#diskHistory,
        wallClock: this.#clock,
        ...(this.#bucket === undefined ? {} : { refusal: this.#bucket.refusal }),
        onvif: () => onvif.device,
        ...{ ...this.#otherRecorders(), reserve },
      },
      archive: this.#archive,
      health,
      pictures: this.#pictures,
      serviceLog: this.#createLog(),
      shares: this.#memory.shares,
      rtspPort: () => this.#rtsp?.port ?? 0,
    });
  }

  #createAway(common: {
    readonly dataDir: string;
    readonly clock: RecorderClock;
    readonly log: Log;
  }): AwayService {
    return new AwayService({
      ...{
        site: this.site,
        events: this.events,
        archive: this.#archive,
        replicas: this.#replicas,
        ...common,
      },
      gapReason: async (...span) => (await this.#api?.gapReason(...span)) ?? "unknown",
      findingsOf: async (...day) => await this.#findings?.store.linesOf(...day),
    });
  }

  /** What the API has of other recorders. */
  #otherRecorders() {
    const [hub, partners, replicas] = [this.#fleet, this.#partners, this.#replicas];
    const loginsId = sharedLoginsId(this.#settings);
    return { hub, boxes: () => hub.boxes, partners, replicas, loginsId: () => loginsId };
  }

  #createLog(): ServiceLog {
    const { logLines = new LogRing(), isJournalled = false } = this.#hooks;
    const secrets = () => knownSecrets(this.#settings, this.site.current);
    return new ServiceLog({ ring: logLines, isJournalled, secrets });
  }

  #createHealth({ streams, notes }: CameraService, recording: RecordingService): HealthService {
    const { logLines } = this.#hooks;
    this.#health = new HealthService({
      settings: this.#settings,
      site: this.site,
      areTwoDevices: (one, other) => notes.areTwoDevices(one, other),
      archive: this.#archive,
      events: this.events,
      memory: this.#memory,
      pictures: this.#pictures,
      streams,
      recording,
      disks: this.#disks,
      alarms: this.#alarms,
      ...{ away: this.#away, bucket: this.#bucket },
      runs: this.#runs,
      ...(logLines === undefined ? {} : { logLines }),
      ...{ clock: this.#clock, log: this.#log },
    });
    return this.#health;
  }

  #createAnalysis({ streams, snapshots }: CameraService, { motion }: RecordingService): AnalysisService {
    const common = { site: this.site, events: this.events, clock: this.#clock, log: this.#log };
    const { stills } = this.#pictures;
    return new AnalysisService({ settings: this.#settings, ...common, streams, snapshots, motion, stills });
  }

  #createSight(
    { streams }: CameraService,
    { motion, seenMotion, seen, zones }: RecordingService,
    { lasting }: FindingService,
    { monitor }: HealthService,
  ): SightService {
    const common = { site: this.site, events: this.events, clock: this.#clock, log: this.#log };
    const sight = new SightService({
      ...{ ...common, streams, motion, seenMotion, seen, zones, findings: lasting },
      codec: this.#pictures.codec,
      machine: { processors: availableParallelism(), memoryBytes: this.#memory.limit.bytes },
    });
    monitor.watchObjects(() => sight.health);
    this.#memory.watchDetector(() => sight.health);
    return sight;
  }

  #createFindings(parts: Omit<FindingServiceOptions, "dataDir" | "archive">): FindingService {
    const { dataDir } = this.#settings;
    this.#findings = new FindingService({ dataDir, archive: this.#archive, ...parts });
    return this.#findings;
  }

  #createMonitoring({ monitor }: HealthService): MonitoringService {
    const language = () => this.#owner.language;
    const common = { site: this.site, events: this.events, clock: this.#clock, log: this.#log };
    return new MonitoringService({ settings: this.#settings, ...common, monitor, language });
  }

  /** What this recorder has for the cameras of others; undefined: not known yet. */
  #means(): OwnMeans | undefined {
    const room = this.#health?.monitor.room();
    const { volumes } = this.#archive.overload();
    const writtenBytes = volumes.reduce((sum, volume) => sum + volume.writtenBytes, 0);
    return room === undefined ? undefined : ownMeans(room, writtenBytes);
  }

  /** What fills gaps: cards of cameras, and recorders that stand in for this one. */
  #createFilling(
    { cards }: CameraService,
    recording: RecordingService,
  ): Pick<RunningRecorder, "reserve" | "gapFills"> {
    const common = { site: this.site, events: this.events, clock: this.#clock, log: this.#log };
    const { archive } = this.#archive;
    const reserve = new ReserveService({
      ...{ ...common, partners: this.#partners, recording, archive, cards, pool: this.#memory.pool },
      means: () => this.#means(),
    });
    const gapFills = new CardService({
      hasReserve: (camera) => reserve.hasReserve(camera),
      ...{
        settings: this.#settings,
        cards: reserve,
        archive: this.#archive,
        knowledge: this.#clock,
        ...common,
      },
      api: () => this.#api,
    });
    return { reserve, gapFills };
  }

  #createCameras(): CameraService {
    const { dataDir, modelsFile, cameraEventPort } = this.#settings;
    const { pool } = this.#memory;
    const frameReader = this.#archive.archive.frameReader(pool);
    const parts = { pool, frameReader, ticker: this.#ticker, clock: this.#clock, log: this.#log };
    const shared = { site: this.site, events: this.events, codec: this.#pictures.codec };
    return new CameraService({ ...shared, dataDir, modelsFile, cameraEventPort, ...parts });
  }
}

/** How long a camera's recordings are kept. Those of a deleted camera may be deleted first. */
function archiveDays(site: Site, channelId: Guid): ChannelDays {
  const archive = site.cameras.find((camera) => camera.id === channelId)?.archive;
  return { minDays: archive?.minDays ?? 0, maxDays: archive?.maxDays ?? 0 };
}

function channelNames({ cameras }: Site): ReadonlyMap<Guid, string> {
  return new Map(cameras.map(({ id, name }) => [id, name]));
}

/** Whether a user is root with the password that root has now. */
function hasPresentPassword(site: Site): (user: User) => boolean {
  const root = site.users.find(({ name }) => name === ROOT_USER_NAME);
  return ({ id, secret }) => id === root?.id && secret === root.secret;
}
