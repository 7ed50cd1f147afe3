import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ChosenDirectory,
  type Directory,
  LdapDirectory,
  type LdapSettings,
  Sessions,
  SiteAccess,
} from "../../../src/access/index.js";
import { type AlarmMessage, Alarms, Pushes, type PushMessage } from "../../../src/alarm/index.js";
import { Scenarios } from "../../../src/alarm/scenario/index.js";
import { type ChannelBytes, Protection, RemovedTimes } from "../../../src/archive/index.js";
import {
  CLOCK_KNOWN,
  type Clock,
  createLog,
  type Guid,
  NvrdError,
  SystemClock,
} from "../../../src/base/index.js";
import { Announcements, CameraKeys, CameraNotes } from "../../../src/camera/index.js";
import type { RecordingStates } from "../../../src/compat/channel/recording-states.js";
import type { SnapshotSource } from "../../../src/compat/still/snapshot-source.js";
import { FindingStore, LastingFindings, SeenMarks } from "../../../src/finding/index.js";
import {
  ARCHIVE_STATUS_UNKNOWN,
  type ArchiveStatus,
  type DiskSample,
  type HealthFigures,
} from "../../../src/health/index.js";
import {
  type Codec,
  NativeCodec,
  Stills,
  type StillsOptions,
  TextPictures,
  Transcoding,
} from "../../../src/picture/index.js";
import type { SoundCodec } from "../../../src/player/video/sound-part.js";
import { MotionStates } from "../../../src/recording/index.js";
import { ApiServer, type ApiServerOptions, type ApiSettings } from "../../../src/service/api/api-server.js";
import { ObjectTrial } from "../../../src/service/part/sight/object-trial.js";
import type { SiteStore, User } from "../../../src/site/index.js";
import { PlainSegments } from "../archive/plain-segments.js";
import { forEachTest, standingFor } from "../base/for-tests.js";
import { SimulatedClock } from "../base/simulated-clock.js";
import { MemoryEventLog } from "../event/memory-event-log.js";
import { healthFigures } from "../health/health-figures.js";
import { closeFetchConnections } from "../http/fetch-connections.js";
import { RawClient } from "../http/raw-http.js";
import { ScriptedBrokerControl } from "../mqtt/scripted-broker-control.js";
import { ScriptedDeviceControl } from "../onvif/scripted-device-control.js";
import { ScriptedCodec } from "../picture/scripted-codec.js";
import {
  GATE_ID,
  MemoryAccess,
  MemoryArchive,
  MemorySiteStore,
  MemoryStreams,
  ROOT_MD5,
} from "./api-fakes.js";
import { CountingCodec } from "./counting-codec.js";
import { MemoryAway } from "./memory/memory-away.js";
import { MemoryCards } from "./memory/memory-cards.js";
import { MemoryChecks } from "./memory/memory-checks.js";
import { MemoryDevices } from "./memory/memory-devices.js";
import { MemoryEventOffers } from "./memory/memory-event-offers.js";
import { MemoryFirstRun } from "./memory/memory-first-run.js";
import { MemoryFormats } from "./memory/memory-formats.js";
import { MemoryHistory } from "./memory/memory-history.js";
import { MemoryLog } from "./memory/memory-log.js";
import { MemoryMasks } from "./memory/memory-masks.js";
import { MemoryNetwork } from "./memory/memory-network.js";
import { MemoryPtz } from "./memory/memory-ptz.js";
import { MemoryRecording } from "./memory/memory-recording.js";
import { MemoryRelays } from "./memory/memory-relays.js";
import { MemoryRestarts } from "./memory/memory-restarts.js";
import { MemoryRevisions } from "./memory/memory-revisions.js";
import { MemoryStorage } from "./memory/memory-storage.js";
import { MemoryTalk } from "./memory/memory-talk.js";
import { MemoryTrials } from "./memory/memory-trials.js";
import { MemoryUpdates } from "./memory/memory-updates.js";
import { MemoryWallClock } from "./memory/memory-wall-clock.js";
import { keepSavedFile } from "./saved-file.js";

/** The real one. */
const SOUND_CODEC = new NativeCodec();

export interface ApiHarness {
  readonly port: number;
  readonly httpsPort: number;
  readonly site: SiteStore;
  readonly access: MemoryAccess;
  readonly sessions: Sessions;
  readonly archive: MemoryArchive;
  /** Closed segments that the evidence lock sees. */
  readonly closedSegments: PlainSegments;
  /** What retention has removed. */
  readonly removedTimes: RemovedTimes;
  /** The MQTT broker, and what was tried of it. */
  readonly broker: ScriptedBrokerControl;
  /** Who may use the ONVIF device. */
  readonly onvifDevice: ScriptedDeviceControl;
  /** What each channel records in a day. */
  readonly channelBytes: { bytes: Map<Guid, ChannelBytes> };
  readonly streams: MemoryStreams;
  /** What transcodes; pass another one by `codec`. */
  readonly codec: CountingCodec;
  readonly transcoding: Transcoding;
  readonly stills: Stills;
  readonly events: MemoryEventLog;
  /** Channels that are being recorded. */
  readonly recorded: Set<string>;
  /** What the service knows of its archive. */
  readonly health: { status: ArchiveStatus };
  /** What it knows of all the rest. */
  readonly monitoring: { figures(): Promise<HealthFigures>; current: HealthFigures };
  /** What the machine did. */
  readonly history: MemoryHistory;
  /** The log that administrators read. */
  readonly serviceLog: MemoryLog;
  /** Restarts that were asked for. */
  readonly restarts: MemoryRestarts;
  /** Former configurations. */
  readonly revisions: MemoryRevisions;
  readonly storage: MemoryStorage;
  /** What the disks said of themselves, by device. */
  readonly diskHistory: { readonly samples: Map<string, readonly DiskSample[]> };
  readonly network: MemoryNetwork;
  /** What is on the network. */
  readonly devices: MemoryDevices;
  readonly streamTrials: MemoryTrials;
  readonly motion: MotionStates;
  /** What was seen: written here, and kept in memory. */
  readonly lasting: LastingFindings;
  readonly findings: FindingStore;
  /** Messages that alarm targets got. */
  readonly alarmMessages: AlarmMessage[];
  readonly away: MemoryAway;
  /** What cameras were sent. */
  readonly ptz: MemoryPtz;
  readonly relays: MemoryRelays;
  readonly talk: MemoryTalk;
  readonly announcements: Announcements;
  readonly cards: MemoryCards;
  readonly formats: MemoryFormats;
  /** The keys that cameras showed. */
  readonly cameraKeys: CameraKeys;
  /** The box that is updated. */
  readonly updates: MemoryUpdates;
  readonly wallClock: MemoryWallClock;
  readonly server: ApiServer;
  readonly dataDir: string;
  /** What was logged, one parsed line each. */
  readonly logLines: Record<string, unknown>[];
  /** GET as root; the path begins with `/`. */
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  url(path: string): string;
  /** A client that sees each byte; it ends with the harness. */
  connect(options?: { readonly paused?: boolean }): RawClient;
  stop(): Promise<void>;
}

const DISK_SAMPLE: DiskSample = {
  ...{ day: 20_000, temperatureCelsius: 41, powerOnHours: 1000, bytesWritten: 4e12, reallocatedSectors: 0 },
  ...{ uncorrectableErrors: 0, commandTimeouts: 0, pendingSectors: 0, offlineUncorrectable: 0 },
  ...{ percentageUsed: null, availableSparePercent: null },
};
/** Bytes of each volume that the evidence lock may hold. */
export const PROTECTED_BYTES_MAX = 100_000_000;
/** Of the directory that a test passes. */
const DIRECTORY_SETTINGS: LdapSettings = {
  ...{ url: "ldap://ldap.example.org", startTls: true, baseDn: "dc=example,dc=org" },
  ...{ bindDnTemplate: "{login}", userFilter: "(uid={user})", groupAttribute: "memberOf", timeoutMs: 1000 },
};
/** Of a recorder that belongs to none. */
const NO_HUB: ApiServerOptions["hub"] = {
  state: undefined,
  join: () => Promise.reject(new NvrdError("NOT_AVAILABLE", "the hub does not answer")),
  change: () => Promise.reject(new NvrdError("NOT_FOUND", "this recorder belongs to no hub")),
  handStorage: () => Promise.reject(new NvrdError("NOT_FOUND", "this recorder belongs to no hub")),
  leave: () => Promise.reject(new NvrdError("NOT_FOUND", "this recorder belongs to no hub")),
};
const NO_REPLICAS: ApiServerOptions["replicas"] = {
  ...{ port: 0, volumeId: undefined, problem: undefined },
  shares: () => [],
  give: async () => Promise.reject(new NvrdError("NOT_FOUND", "there is no such partner")),
  remove: async () => Promise.reject(new NvrdError("NOT_FOUND", "this recorder has no share here")),
};
/** Of a recorder that has none. */
const NO_PARTNERS: ApiServerOptions["partners"] = {
  ...{ problem: undefined, states: () => [], servers: [] },
  makeCode: () =>
    Promise.resolve({ code: "nvrd-box://192.0.2.9:7444/hash/token", untilUs: 1_700_000_000_000_000 }),
  join: () => Promise.reject(new NvrdError("NOT_AVAILABLE", "the other recorder does not answer")),
  leave: () => Promise.reject(new NvrdError("NOT_FOUND", "there is no such partner")),
};
/** Memory of the kept stills. */
const STILL_CACHE_BYTES = 4_000_000;
export const ROOT_QUERY = `login=root&password=${ROOT_MD5}`;

/** An API on a port of loopback that the kernel chooses, over stores in memory. */
export async function startApi(
  options: {
    clock?: Clock;
    settings?: Partial<ApiSettings>;
    site?: SiteStore;
    realAccess?: boolean;
    /** What was recorded; in memory when absent. */
    archive?: ApiServerOptions["archive"];
    /** With real access: the directory beside the users of the configuration. */
    directory?: Directory;
    mustChangePassword?: (user: User) => boolean;
    /** What the owner chose; default: in memory, with a time zone to be chosen. */
    firstRun?: MemoryFirstRun;
    keepTrying?: boolean;
    /** A file of recordings was kept before. */
    hasSavedFile?: boolean;
    /** Default: there is no provider of logins. */
    oidc?: ApiServerOptions["oidc"];
    /** Default: it belongs to no hub, and is none. */
    hub?: ApiServerOptions["hub"];
    boxes?: ApiServerOptions["boxes"];
    /** Default: there are none. */
    partners?: ApiServerOptions["partners"];
    replicas?: ApiServerOptions["replicas"];
    reserve?: ApiServerOptions["reserve"];
    /** One that counts for transcodes, and a scripted one for stills, when absent. */
    codec?: Codec;
    stillBounds?: StillsOptions["bounds"];
    snapshots?: SnapshotSource;
    /** Recording states; in memory when absent. */
    recording?: RecordingStates;
    transcodesMax?: number;
    soundCodec?: SoundCodec;
    /** Where names are looked at before a certificate is asked for them. */
    nameReach?: NonNullable<ApiServerOptions["nameReach"]>;
    /** Bounds of bundles that are received; `supported: false`: a recorder without slots. */
    updates?: Pick<ConstructorParameters<typeof MemoryUpdates>[0], "bounds" | "supported">;
  } = {},
): Promise<ApiHarness> {
  const dataDir = await mkdtemp(join(tmpdir(), "nvrd-api-"));
  if (options.hasSavedFile === true) await keepSavedFile(dataDir);
  const site = options.site ?? new MemorySiteStore();
  const archive = new MemoryArchive();
  const streams = new MemoryStreams(site);
  const logLines: Record<string, unknown>[] = [];
  const log = createLog({
    level: "debug",
    destination: { write: (line) => logLines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const settings: ApiSettings = {
    listen: "127.0.0.1",
    httpPort: "any",
    httpsPort: 0,
    rtspPort: () => site.current.rtsp.tcpPort ?? 554,
    portFallback: false,
    corsOrigins: ["https://panel.example"],
    productType: "Ultra",
    dataDir,
    page: "off",
    ...options.settings,
  };
  const clock = options.clock ?? new SystemClock();
  const sessions = new Sessions({ site, clock, log });
  const access = new MemoryAccess(site, sessions);
  const closedSegments = new PlainSegments();
  const bytesMaxOf = async () => PROTECTED_BYTES_MAX;
  const protection = new Protection({ dataDir, index: closedSegments, bytesMaxOf, clock, log });
  const channelBytes = { bytes: new Map<Guid, ChannelBytes>(), read: async () => channelBytes.bytes };
  const removedTimes = new RemovedTimes({ dataDir, clock, log });
  const events = new MemoryEventLog(clock);
  const recording = new MemoryRecording(clock);
  const codec = new CountingCodec();
  const { transcodesMax } = options;
  const transcoding = new Transcoding({
    codec: options.codec ?? codec,
    clock,
    log,
    ...(transcodesMax === undefined ? {} : { transcodesMax }),
  });
  const devices = new MemoryDevices();
  const streamTrials = new MemoryTrials();
  const motion = new MotionStates(clock);
  const lasting = new LastingFindings(clock);
  const findings = new FindingStore({
    ...{ dataDir, lasting, clock, log },
    volumes: { inUse: () => [], knownIds: () => [], isOpening: () => false, of: () => undefined },
    kept: { recordedSince: () => undefined, isConfigured: () => true },
  });
  findings.start();
  const seen = new SeenMarks({ dataDir, clock, log });
  const ptz = new MemoryPtz();
  const relays = new MemoryRelays();
  const talk = new MemoryTalk(clock);
  const announcements = new Announcements({ dataDir, talk, codec: options.codec ?? codec, clock, log });
  const cards = new MemoryCards();
  const scenarios = new Scenarios({
    ...{ site, events, recording, ptz, relays, announcements, clock, log },
    knowledge: CLOCK_KNOWN,
  });
  const formats = new MemoryFormats();
  const notes = new CameraNotes({ dataDir, clock, log });
  const cameraKeys = new CameraKeys({ site, notes, onChanged: () => undefined });
  const alarmMessages: AlarmMessage[] = [];
  const alarms = new Alarms({
    ...{ site, dataDir, clock, log },
    // Tests count who listens to the events: clients of the API, and nobody else.
    events: {
      raise: (input) => events.raise(input),
      search: (query) => events.search(query),
      onEvent: () => ({ close: () => undefined }),
    },
    send: async (_, message) => void alarmMessages.push(message),
  });
  const pushMessages: PushMessage[] = [];
  const pushes = new Pushes({
    ...{ site, dataDir, clock, log },
    events: { onEvent: () => ({ close: () => undefined }) },
    send: async (_, message) => void pushMessages.push(message),
    shown: (_, event) => event,
  });
  const away = new MemoryAway(clock);
  away.configured = () => site.current.awayTargets;
  const health = { status: ARCHIVE_STATUS_UNKNOWN };
  const monitoring = {
    current: healthFigures(),
    figures(): Promise<HealthFigures> {
      return Promise.resolve(this.current);
    },
  };
  const history = new MemoryHistory();
  const serviceLog = new MemoryLog();
  const restarts = new MemoryRestarts();
  const revisions = new MemoryRevisions(site);
  const storage = new MemoryStorage();
  const diskHistory = {
    samples: new Map<string, readonly DiskSample[]>([["/dev/sda", [DISK_SAMPLE]]]),
    of: (device: string) => diskHistory.samples.get(device),
  };
  const network = new MemoryNetwork();
  const { directory } = options;
  const chosen = new ChosenDirectory({
    site,
    ofFile: directory === undefined ? undefined : DIRECTORY_SETTINGS,
    make: (ldap) => directory ?? new LdapDirectory({ settings: ldap, clock, log }),
  });
  const real = new SiteAccess({
    ...{ site, clock, log, sessions },
    ...(directory === undefined ? {} : { directory }),
  });
  const broker = new ScriptedBrokerControl(site);
  const onvifDevice = new ScriptedDeviceControl(site);
  const checked = options.realAccess === true ? real : access;
  const stills = new Stills({
    codec: options.codec ?? new ScriptedCodec(),
    cacheBytesMax: STILL_CACHE_BYTES,
    clock,
    log,
    ...(options.stillBounds === undefined ? {} : { bounds: options.stillBounds }),
  });
  const wallClock = new MemoryWallClock(clock);
  const updates = new MemoryUpdates({ dataDir, clock, log, ...options.updates });
  const server = new ApiServer({
    settings,
    firstRun: options.firstRun ?? new MemoryFirstRun(),
    ...(options.nameReach === undefined ? {} : { nameReach: options.nameReach }),
    site,
    access: checked,
    sessions,
    ...(options.mustChangePassword === undefined ? {} : { mustChangePassword: options.mustChangePassword }),
    archive: options.archive ?? archive,
    protection,
    removedTimes,
    channelBytes,
    streams,
    stills,
    ...(options.snapshots === undefined ? {} : { snapshots: options.snapshots }),
    soundCodec: options.soundCodec ?? SOUND_CODEC,
    motionCodec: SOUND_CODEC,
    fileCodec: SOUND_CODEC,
    texts: new TextPictures(),
    recording: options.recording ?? recording,
    transcoding,
    health,
    monitoring,
    history,
    serviceLog,
    restarts,
    revisions,
    directory: chosen,
    broker,
    onvifDevice,
    support: { create: () => Promise.resolve(Buffer.from("a bundle")) },
    storage,
    diskHistory,
    network,
    archiveChecks: new MemoryChecks(),
    devices,
    streamTrials,
    motion,
    ptz,
    relays,
    masks: new MemoryMasks(),
    eventOffers: new MemoryEventOffers(),
    cameraKeys,
    talk,
    announcements,
    cards,
    gapFills: { state: () => ({ isFilling: false, gaps: [] }) },
    formats,
    scenarios,
    monitoringStates: { state: undefined },
    analysis: {
      states: () => [],
      test: async (_id, channelId = GATE_ID) => ({
        ...{ channelId, tasks: [] },
        picture: { jpeg: new Uint8Array(3), width: 640, height: 360 },
      }),
    },
    ...{ findings, seen, lasting, objectTrial: new ObjectTrial(findings) },
    oidc: options.oidc,
    hub: options.hub ?? NO_HUB,
    partners: options.partners ?? NO_PARTNERS,
    reserve: options.reserve ?? { owners: () => [], reserves: () => [], forecast: undefined },
    replicas: options.replicas ?? NO_REPLICAS,
    boxes: options.boxes ?? (() => undefined),
    alarms,
    pushes,
    away,
    events,
    updates: updates.updater,
    wallClock,
    clock,
    log,
    version: "0.1.0",
  });
  const removeData = async () => {
    await Promise.all([findings.stop(), seen.stop()]);
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };
  alarms.start();
  pushes.start();
  const ports = await server
    .start({ keepTrying: options.keepTrying ?? false })
    .catch(async (error: unknown) => {
      await removeData();
      throw error;
    });
  const clients: RawClient[] = [];
  const url = (path: string): string => `http://127.0.0.1:${ports.httpPort}${path}`;
  return {
    port: ports.httpPort,
    httpsPort: ports.httpsPort,
    site,
    access,
    sessions,
    archive,
    closedSegments,
    removedTimes,
    channelBytes,
    streams,
    codec,
    transcoding,
    stills,
    events,
    recorded: recording.recorded,
    health,
    monitoring,
    history,
    serviceLog,
    restarts,
    revisions,
    broker,
    onvifDevice,
    storage,
    diskHistory,
    network,
    devices,
    away,
    streamTrials,
    motion,
    lasting,
    findings,
    alarmMessages,
    ptz,
    relays,
    talk,
    announcements,
    cards,
    formats,
    cameraKeys,
    updates,
    wallClock,
    server,
    dataDir,
    logLines,
    url,
    get: (path, headers = {}) =>
      fetch(`${url(path)}${path.includes("?") ? "&" : "?"}${ROOT_QUERY}`, { headers }),
    connect: (options) => {
      const client = new RawClient(ports.httpPort, options);
      clients.push(client);
      return client;
    },
    stop: async () => {
      for (const client of clients) client.destroy();
      closeFetchConnections();
      await server.stop();
      await alarms.stop();
      await pushes.stop();
      transcoding.stop();
      await removeData();
    },
  };
}

export { until } from "../base/until.js";

/** An API before each test, whose clock stands until the test moves it: at `startUs`, or where simulated clocks begin. */
export function apiByClock(startUs?: number): { readonly api: ApiHarness; readonly clock: SimulatedClock } {
  const made = forEachTest(
    async () => {
      const clock = new SimulatedClock(startUs);
      return { clock, api: await startApi({ clock }) };
    },
    ({ api }) => api.stop(),
  );
  return { api: standingFor(() => made.api), clock: standingFor(() => made.clock) };
}
