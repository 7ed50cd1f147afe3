import { release } from "node:os";
import { getHeapStatistics } from "node:v8";
import type { OverloadCounters, RetentionCounts, VolumeStatus } from "../../archive/index.js";
import {
  type Clock,
  type ClockKnowledge,
  type ClockStatus,
  type ClockTimer,
  endsWithin,
  type Guid,
  memoryUsage,
  type Release,
  US_PER_MS,
  US_PER_SECOND,
} from "../../base/index.js";
import type { EventLogStatus } from "../../event/index.js";
import type { SlabPool, StreamDirectory } from "../../live/index.js";
import { type AreTwoDevices, type SiteStore, siteWarnings } from "../../site/index.js";
import type { DiskStates } from "../disk/disk-state.js";
import type { ArchiveStatus } from "./archive-status.js";
import { camerasHealth, type RecordingWord } from "./camera-health.js";
import { DayRate } from "./day-rate.js";
import type { EventLoopDelay } from "./event-loop-delay.js";
import { type GcFigures, GcWatch } from "./gc-watch.js";
import { type HealthDigest, healthDigest } from "./health-digest.js";
import type {
  AlarmTargetHealth,
  ApiFigures,
  AwayTargetHealth,
  BucketHealth,
  ClockHealth,
  FindingsHealth,
  HealthFigures,
  HubHealth,
  IndexHealth,
  ListenerHealth,
  MemoryHealth,
  MemoryPlan,
  MotionHealth,
  MqttHealth,
  ObjectsHealth,
  PartnerHealth,
  ReplicasHealth,
  VolumeHealth,
} from "./health-figures.js";
import { isFaulty, isLost } from "./health-problems.js";
import { summaryOf } from "./health-report.js";
import type { MachineFigures } from "./machine.js";
import type { ReachVolume } from "./reach-reader.js";
import type { RunHistory } from "./run-history.js";

/** How often cameras and counters are checked without a request. */
export const MONITOR_INTERVAL_MS = 5000;
/** A request within this time of the last answer gets the same answer. */
export const FIGURES_KEPT_US = 1_000_000;
/** A camera that is not recorded for less, and is not lost, is no problem yet: connecting takes time. */
export const CAMERA_GRACE_US = 15_000_000;
/** How often volumes and sensors are read for the summary, which does not wait for them. */
const ASK_INTERVAL_US = 60_000_000;
/** How long an answer waits for volumes and sensors; late values are the previous ones. */
const ASK_WAIT_MS = 2000;

/** The archive as health sees it. */
export interface MonitoredArchive {
  overload(): OverloadCounters;
  indexStatus(): IndexHealth;
  removed(): RetentionCounts;
  /** Volumes that are left out, and why. */
  absentVolumes(): readonly { readonly directory: string; readonly reason: string }[];
  volumeStatus(): Promise<readonly VolumeStatus[]>;
  /** Why it is not known what is protected; undefined: it is known. */
  readonly protection?: { readonly lack: string | undefined };
}

export interface HealthMonitorOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly areTwoDevices: AreTwoDevices;
  readonly streams: StreamDirectory;
  readonly recording: { state(channelId: Guid): RecordingWord };
  readonly archive: MonitoredArchive;
  /** How far the recordings on these volumes will reach. Rejects where that cannot be known. */
  readonly reach: (volumes: readonly ReachVolume[]) => Promise<HealthFigures["reach"]>;
  readonly archiveHealth: { readonly status: ArchiveStatus };
  readonly events: { status(): EventLogStatus };
  /** Where disks are looked at. */
  readonly disks?: DiskStates;
  readonly pool: Pick<SlabPool, "allocatedBytes" | "idleBytes" | "totalBytesMax">;
  readonly memory: { plan(): MemoryPlan };
  readonly transcoding: { readonly size: number };
  readonly alarms: { states(): readonly AlarmTargetHealth[] };
  readonly away: { states(): readonly AwayTargetHealth[] };
  /** The archive is a bucket: there are no volumes. */
  readonly bucket?: BucketHealth | undefined;
  readonly machine: { read(): Promise<MachineFigures> };
  readonly eventLoop: Pick<EventLoopDelay, "read" | "start" | "stop">;
  readonly runs: Pick<RunHistory, "runs" | "crash">;
  readonly clock: Clock;
  readonly knowledge: ClockKnowledge;
  /** What the machine says of its clock, and the bound on its error. */
  readonly clockStatus: () => ClockStatus & { readonly errorMaxUs: number | undefined };
  readonly versions: { readonly release: Release; libav(): Promise<string | undefined> };
}

/**
 * Collects the state of the recorder on request: from memory, the index and a few files of the kernel. Between requests it checks
 * every few seconds what has to be watched over time: failing cameras and the write rate.
 */
export class HealthMonitor {
  readonly #options: HealthMonitorOptions;
  readonly #gc = new GcWatch();
  readonly #rates = new Map<string, DayRate>();
  /** Since when a camera has a fault, monotonic. */
  readonly #faultySinceUs = new Map<Guid, number>();
  readonly #parts = new Map<string, () => unknown>();
  readonly #listeners: (() => readonly ListenerHealth[])[] = [];
  #api: (() => ApiFigures) | undefined;
  #hub: (() => HubHealth | undefined) | undefined;
  #partners: () => readonly PartnerHealth[] = () => [];
  #replicas: () => ReplicasHealth = () => ({ problem: undefined, shares: [] });
  #mqtt: (() => MqttHealth | undefined) | undefined;
  #findings: (() => FindingsHealth) | undefined;
  #motion: (() => MotionHealth) | undefined;
  #objects: (() => ObjectsHealth) | undefined;
  #timer: ClockTimer | undefined;
  #startedUs = 0;
  #libav: string | undefined;
  #steps = 0;
  #lastStepUs: number | undefined;
  #volumes: readonly VolumeStatus[] = [];
  #reach: HealthFigures["reach"];
  #machine: MachineFigures = NOTHING_READ;
  #figures: HealthFigures | undefined;
  #figuresUs = 0;
  #collecting: Promise<HealthFigures> | undefined;
  #asking: Promise<void> | undefined;
  #askedUs = Number.NEGATIVE_INFINITY;

  constructor(options: HealthMonitorOptions) {
    this.#options = options;
    options.knowledge.onStepped((shiftUs) => {
      this.#steps += 1;
      this.#lastStepUs = shiftUs;
    });
  }

  start(): void {
    const { clock, eventLoop } = this.#options;
    this.#startedUs = clock.monotonicUs();
    eventLoop.start();
    this.#timer = clock.setInterval(() => this.#look(), MONITOR_INTERVAL_MS);
    this.#look();
    void this.#ask();
  }

  stop(): void {
    this.#timer?.clear();
    this.#options.eventLoop.stop();
    this.#gc.stop();
  }

  /** The API counts its requests; it starts after this. */
  watchApi(figures: () => ApiFigures): void {
    this.#api = figures;
  }

  /** Ports of the service: what is wrong with them now. */
  watchListeners(problems: () => readonly ListenerHealth[]): void {
    this.#listeners.push(problems);
  }

  /** The connection to the broker of the settings. */
  /** What this recorder keeps of others. */
  watchReplicas(health: () => ReplicasHealth): void {
    this.#replicas = health;
  }

  /** The recorders of the LAN that stand by this one. */
  watchPartners(health: () => readonly PartnerHealth[]): void {
    this.#partners = health;
  }

  /** The hub that the recorder belongs to. */
  watchHub(health: () => HubHealth | undefined): void {
    this.#hub = health;
  }

  watchMqtt(health: () => MqttHealth | undefined): void {
    this.#mqtt = health;
  }

  /** What is kept of what was seen. */
  watchFindings(health: () => FindingsHealth): void {
    this.#findings = health;
  }

  /** The recorder's own motion detection. */
  watchMotion(health: () => MotionHealth): void {
    this.#motion = health;
  }

  /** The recorder's own detector of objects. */
  watchObjects(health: () => ObjectsHealth): void {
    this.#objects = health;
  }

  /** Adds a part's own section `name` to the report; `read` returns plain data and must not throw. */
  watchPart(name: string, read: () => unknown): void {
    this.#parts.set(name, read);
  }

  /** The state of the recorder in one line: cameras now, volumes as they were about a minute ago. */
  summary(): string {
    if (this.#options.clock.monotonicUs() - this.#askedUs >= ASK_INTERVAL_US) void this.#ask();
    return summaryOf(this.#collect([]));
  }

  /** The same in figures. */
  digest(): HealthDigest {
    if (this.#options.clock.monotonicUs() - this.#askedUs >= ASK_INTERVAL_US) void this.#ask();
    return healthDigest(this.#collect([]));
  }

  /** What recordings may take on all volumes, as of about a minute ago, and what is written to them now. */
  room(): { readonly bytes: number; readonly bytesPerSecond: number } {
    const volumes = this.#volumesOf(this.#options.archive.overload()).filter(({ isRetired }) => !isRetired);
    const bytes = volumes.reduce((sum, { status }) => sum + (status?.allowedBytes ?? 0), 0);
    return { bytes, bytesPerSecond: volumes.reduce((sum, volume) => sum + volume.bytesPerSecond, 0) };
  }

  /** The current state, the same for all requests within a second. Waits 2 s at most, and never rejects. */
  figures(): Promise<HealthFigures> {
    const { clock } = this.#options;
    if (this.#figures !== undefined && clock.monotonicUs() - this.#figuresUs < FIGURES_KEPT_US)
      return Promise.resolve(this.#figures);
    this.#collecting ??= this.#askAndCollect().finally(() => {
      this.#collecting = undefined;
    });
    return this.#collecting;
  }

  async #askAndCollect(): Promise<HealthFigures> {
    const { clock } = this.#options;
    await endsWithin(Promise.all([this.#ask(), this.#askLibav()]), { clock, ms: ASK_WAIT_MS });
    this.#figures = this.#collect(this.#gc.read());
    this.#figuresUs = clock.monotonicUs();
    return this.#figures;
  }

  /** One request at a time: a sensor that hangs is not read again. */
  #ask(): Promise<void> {
    this.#asking ??= this.#askNow().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #askNow(): Promise<void> {
    const { machine, clock } = this.#options;
    this.#askedUs = clock.monotonicUs();
    const machineRead = machine.read();
    await this.#askVolumes();
    this.#machine = await machineRead;
  }

  async #askVolumes(): Promise<void> {
    const { archive, reach } = this.#options;
    // If the archive stops or a volume disappears meanwhile, the previous values stay.
    this.#volumes = await archive.volumeStatus().catch(() => this.#volumes);
    const rated = this.#volumes.map((status) => ({
      status,
      bytesPerDay: this.#rates.get(status.directory)?.perDay,
    }));
    this.#reach = await reach(rated).catch(() => undefined);
  }

  /** Asked for reports only: the answer may need a child process. */
  async #askLibav(): Promise<void> {
    this.#libav ??= await this.#options.versions.libav();
  }

  #look(): void {
    const nowUs = this.#options.clock.monotonicUs();
    for (const { directory, writtenBytes } of this.#options.archive.overload().volumes) {
      const rate = this.#rates.get(directory) ?? new DayRate();
      this.#rates.set(directory, rate);
      rate.note(writtenBytes, nowUs);
    }
    this.#lookAtCameras(nowUs);
  }

  #lookAtCameras(nowUs: number): void {
    const { site, streams, recording } = this.#options;
    const faulty = camerasHealth(site.current.cameras, { streams, recording, losses: [] }).filter(isFaulty);
    const ids = new Set(faulty.map(({ id }) => id));
    for (const id of [...this.#faultySinceUs.keys()]) if (!ids.has(id)) this.#faultySinceUs.delete(id);
    for (const id of ids) if (!this.#faultySinceUs.has(id)) this.#faultySinceUs.set(id, nowUs);
  }

  #collect(gc: readonly GcFigures[]): HealthFigures {
    const { site, streams, recording, archive, archiveHealth, events, disks, clock, versions, runs } =
      this.#options;
    const overload = archive.overload();
    const nowUs = clock.monotonicUs();
    const lasting = [...this.#faultySinceUs].filter(([, sinceUs]) => nowUs - sinceUs >= CAMERA_GRACE_US);
    const cameras = camerasHealth(site.current.cameras, { streams, recording, losses: overload.streams });
    const hasLasted = new Set(lasting.map(([id]) => id));
    const faulty = cameras.filter(
      (camera) => isLost(camera) || (isFaulty(camera) && hasLasted.has(camera.id)),
    );
    const { user, system } = process.cpuUsage();
    return {
      timeUs: clock.nowUs(),
      versions: {
        nvrd: versions.release.version,
        commit: versions.release.commit,
        commitTime: versions.release.date,
        node: process.version,
        libav: this.#libav ?? null,
        kernel: release(),
      },
      uptimeSeconds: Math.floor((nowUs - this.#startedUs) / US_PER_SECOND),
      cameras,
      faultyCameras: new Set(faulty.map(({ id }) => id)),
      siteWarnings: siteWarnings(site.current, this.#options.areTwoDevices),
      archive: archiveHealth.status,
      removed: archive.removed(),
      protectionLack: archive.protection?.lack,
      index: archive.indexStatus(),
      eventLog: events.status(),
      findings: this.#findings?.(),
      volumes: this.#volumesOf(overload),
      reach: this.#reach,
      disks: disks?.disks,
      disksProblem: disks?.problem,
      clock: this.#clockHealth(),
      memory: this.#memory(),
      machine: this.#machine,
      eventLoop: this.#options.eventLoop.read(),
      cpuSeconds: (user + system) / US_PER_SECOND,
      gc,
      transcodes: this.#options.transcoding.size,
      alarms: this.#options.alarms.states(),
      away: this.#options.away.states(),
      bucket: this.#options.bucket,
      hub: this.#hub?.(),
      partners: this.#partners(),
      replicas: this.#replicas(),
      mqtt: this.#mqtt?.(),
      motion: this.#motion?.(),
      objects: this.#objects?.(),
      api: this.#api?.() ?? NO_REQUESTS,
      listenerProblems: this.#listeners.flatMap((problems) => problems()),
      runs: runs.runs,
      crash: runs.crash,
      parts: Object.fromEntries([...this.#parts].map(([name, read]) => [name, read()])),
    };
  }

  #volumesOf({ volumes }: OverloadCounters): readonly VolumeHealth[] {
    const absent = new Map(
      this.#options.archive.absentVolumes().map(({ directory, reason }) => [directory, reason]),
    );
    const known = new Map(this.#volumes.map((status) => [status.directory, status]));
    return volumes.map((volume) => ({
      directory: volume.directory,
      isUsable: volume.usable,
      isRetired: volume.isRetired,
      reason: absent.get(volume.directory) ?? null,
      streams: volume.streams,
      writtenBytes: volume.writtenBytes,
      bytesPerSecond: volume.bytesPerSecond,
      heldBytes: volume.heldBytes,
      heldBytesMax: volume.heldBytesMax,
      writeStallMs: volume.writeStallMs,
      syncStallMs: volume.syncStallMs,
      segmentsFailed: volume.segmentsFailed,
      bytesPerDay: this.#rates.get(volume.directory)?.perDay,
      status: known.get(volume.directory),
    }));
  }

  #clockHealth(): ClockHealth {
    const { knowledge, clockStatus } = this.#options;
    const { synchronized, fromBatteryClock, errorMaxUs } = clockStatus();
    const inMs = (us: number | undefined) => (us === undefined ? null : us / US_PER_MS);
    return {
      isKnown: knowledge.isKnown,
      knownBy: knowledge.knownBy ?? null,
      isSynchronized: synchronized,
      fromBatteryClock,
      errorMaxMs: inMs(errorMaxUs),
      steps: this.#steps,
      lastStepMs: inMs(this.#lastStepUs),
    };
  }

  #memory(): MemoryHealth {
    const { pool } = this.#options;
    const { rss, heapUsed, heapTotal, external, arrayBuffers } = memoryUsage();
    return {
      rssBytes: rss,
      heapUsedBytes: heapUsed,
      heapTotalBytes: heapTotal,
      heapBytesMax: getHeapStatistics().heap_size_limit,
      externalBytes: external,
      arrayBufferBytes: arrayBuffers,
      slabBytes: pool.allocatedBytes,
      slabIdleBytes: pool.idleBytes,
      slabBytesMax: pool.totalBytesMax,
      ...this.#options.memory.plan(),
    };
  }
}

const NOTHING_READ: MachineFigures = {
  memoryTotalBytes: null,
  memoryAvailableBytes: null,
  groupAvailableBytes: null,
  load: null,
  uptimeSeconds: null,
  temperatures: [],
  openFiles: null,
  systemDisk: null,
};

/** Before the API has started. */
const NO_REQUESTS: ApiFigures = {
  requests: [],
  openStreams: 0,
  viewers: [],
  eventListeners: 0,
  eventsNotSent: 0,
  liveSocket: {
    clients: 0,
    liveWatches: 0,
    recordedWatches: 0,
    streams: 0,
    transcodedStreams: 0,
    leftOut: 0,
    waitingBytes: 0,
  },
};
