import type { AlarmControl } from "../../alarm/index.js";
import type { RecorderClock } from "../../archive/index.js";
import type { AwayControl } from "../../away/index.js";
import { type Log, type LogRing, readClockErrorUs, readClockStatus, readRelease } from "../../base/index.js";
import type { LmdbEventLog } from "../../event/index.js";
import {
  ArchiveHealth,
  type DiskWatch,
  EventLoopDelay,
  FigureHistory,
  HealthMonitor,
  healthReport,
  Machine,
  MachineLoadReader,
  metricsText,
  type RunHistory,
  readReach,
  supportBundle,
} from "../../health/index.js";
import type { ControlServer } from "../../host/control/index.js";
import type { StreamDirectory } from "../../live/index.js";
import { requireIndex } from "../../player/index.js";
import type { Settings } from "../../settings/index.js";
import type { AreTwoDevices, LmdbSiteStore } from "../../site/index.js";
import { HeldEvents } from "../report/held-events.js";
import {
  configurationEntry,
  crashEntry,
  eventsEntry,
  jsonEntry,
  knownSecrets,
  machineEntries,
  restartsEntry,
  settingsEntry,
} from "../shared/index.js";
import type { MemoryService } from "./memory-service.js";
import type { PictureService } from "./picture-service.js";
import type { ArchiveService } from "./record/archive-service.js";
import type { RecordingService } from "./record/recording-service.js";

export interface HealthServiceOptions {
  readonly settings: Settings;
  readonly site: LmdbSiteStore;
  readonly areTwoDevices: AreTwoDevices;
  readonly archive: ArchiveService;
  readonly events: LmdbEventLog;
  readonly memory: MemoryService;
  readonly pictures: PictureService;
  readonly streams: StreamDirectory;
  readonly recording: RecordingService;
  readonly alarms: Pick<AlarmControl, "states">;
  readonly away: Pick<AwayControl, "states">;
  /** The bucket that is the archive; undefined: it is on disks. */
  readonly bucket?: { readonly name: string; readonly problem: string | undefined } | undefined;
  readonly disks: DiskWatch;
  readonly runs: RunHistory;
  /** The newest lines of the log. */
  readonly logLines?: LogRing;
  readonly clock: RecorderClock;
  readonly log: Log;
}

/** The health of the recorder: the state of the archive, the data for monitoring, its history, and the support bundle. */
export class HealthService {
  /** For /hddstatus. */
  readonly archive: ArchiveHealth;
  /** For /api/health, /metrics and the status line in systemctl. */
  readonly monitor: HealthMonitor;
  /** For /api/system/history. */
  readonly history: FigureHistory;
  readonly #held: HeldEvents;
  readonly #options: HealthServiceOptions;
  #making: Promise<Uint8Array> | undefined;

  constructor(options: HealthServiceOptions) {
    this.#options = options;
    const { settings, site, archive, events, memory, pictures, streams, recording, disks } = options;
    const { alarms, away, bucket, runs, clock, log } = options;
    const { dataDir } = settings;
    const machine = new Machine({ dataDir });
    this.archive = new ArchiveHealth({ archive, events, disks, clock });
    this.monitor = new HealthMonitor({
      site,
      areTwoDevices: options.areTwoDevices,
      streams,
      recording,
      archive,
      reach: async (volumes) => {
        requireIndex(archive.archive);
        const { channelBytes, removedTimes } = archive;
        return await readReach(
          { site, archive: archive.archive, channelBytes, removedTimes, clock },
          volumes,
        );
      },
      archiveHealth: this.archive,
      events,
      disks,
      pool: memory.pool,
      memory,
      transcoding: pictures.transcoding,
      alarms,
      ...{ away, bucket },
      machine,
      eventLoop: new EventLoopDelay({ clock }),
      runs,
      clock,
      knowledge: clock,
      clockStatus: () => ({ ...readClockStatus(), errorMaxUs: readClockErrorUs() }),
      versions: { release: readRelease(), libav: () => pictures.codec.libavVersion() },
    });
    this.#held = new HeldEvents({ events, clock, log });
    const load = new MachineLoadReader({ machine, monotonicUs: () => clock.monotonicUs() });
    this.history = new FigureHistory({
      dataDir,
      figures: async () => ({ ...(await load.read()), depthDays: this.archive.status.depthDays ?? null }),
      knowledge: clock,
      ...{ clock, log },
    });
  }

  start(): void {
    this.archive.start();
    this.#held.start();
    this.monitor.start();
    // Recording does not wait for the system disk.
    void this.history.start();
  }

  async stop(): Promise<void> {
    this.#held.stop();
    this.monitor.stop();
    this.archive.stop();
    await this.history.stop();
  }

  /** The support bundle: a gzipped tar archive. Concurrent requests get the same bundle. */
  create(): Promise<Uint8Array> {
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  #make(): Promise<Uint8Array> {
    const { settings, site, events, archive, runs, clock, logLines } = this.#options;
    const figures = () => this.monitor.figures();
    return supportBundle({
      entries: [
        jsonEntry("health.json", "the health report, as in /api/health", async () =>
          healthReport(await figures()),
        ),
        {
          name: "metrics.txt",
          about: "the metrics, as in /metrics",
          read: async () => await metricsText(await figures()),
        },
        settingsEntry(settings),
        configurationEntry(() => site.current),
        restartsEntry(() => runs.runs),
        crashEntry(() => runs.crash),
        jsonEntry("archive.json", "counters of volumes and streams, and the index", () => ({
          overload: archive.overload(),
          index: archive.indexStatus(),
          absent: archive.archive.absentVolumes(),
        })),
        {
          name: "log.jsonl",
          about: "the newest lines of the service's log",
          read: () => logLines?.lines().join("") ?? "",
          keepEnd: true,
        },
        eventsEntry(() => events),
        ...machineEntries(settings.dataDir),
      ],
      secrets: knownSecrets(settings, site.current),
      clock,
    });
  }
}

/** Registers `nvrd support`. The bundle is encoded as base64 in the answer on the control socket. */
export function registerSupportCommand(control: ControlServer, health: Pick<HealthService, "create">): void {
  control.register("support", async () => ({
    bundle: Buffer.from(await health.create()).toString("base64"),
  }));
}
