import { type Clock, type Guid, type Log, stopInOrder } from "../../../base/index.js";
import type { CameraEvent } from "../../../camera/index.js";
import type { EventLog } from "../../../event/index.js";
import { FindingStore, LastingFindings, SeenMarks } from "../../../finding/index.js";
import type { HealthMonitor } from "../../../health/index.js";
import type { MotionStates } from "../../../recording/index.js";
import type { SiteStore } from "../../../site/index.js";
import { CameraFindings } from "../../report/camera-findings.js";
import { EventFindings } from "../../report/event-findings.js";
import { MotionFindings } from "../../report/motion-findings.js";
import { ObjectTrial } from "../sight/object-trial.js";
import type { ArchiveService } from "./archive-service.js";

export interface FindingServiceOptions {
  readonly dataDir: string;
  readonly archive: ArchiveService;
  readonly motion: MotionStates;
  readonly events: EventLog;
  readonly site: SiteStore;
  /** Reports what is not kept. */
  readonly health: { readonly monitor: Pick<HealthMonitor, "watchFindings"> };
  readonly clock: Clock;
  readonly log: Log;
}

/** What was seen: those who see write to `lasting`, and the store keeps it. */
export class FindingService {
  /** Where findings are written, whoever saw them. */
  readonly lasting: LastingFindings;
  readonly store: FindingStore;
  /** What users have seen of them. */
  readonly seen: SeenMarks;
  readonly #options: FindingServiceOptions;
  readonly #cameras: CameraFindings;
  readonly #motion: MotionFindings;
  readonly #events: EventFindings;

  constructor(options: FindingServiceOptions) {
    this.#options = options;
    const { dataDir, archive, motion, events, site, clock } = options;
    const findings = new LastingFindings(clock);
    this.lasting = findings;
    this.#cameras = new CameraFindings(findings);
    this.#motion = new MotionFindings({ motion, findings, site, clock });
    this.#events = new EventFindings({ events, findings, site });
    const { archive: recordings } = archive;
    this.store = new FindingStore({
      dataDir,
      lasting: findings,
      volumes: {
        inUse: () => recordings.volumeAccess(),
        knownIds: () => recordings.knownVolumeIds(),
        isOpening: () => recordings.isOpening,
        of: (channelId) => recordings.volumeNowOf(channelId) ?? recordings.recordedOnto()[0]?.id,
      },
      kept: {
        recordedSince: () =>
          recordings.isWholeIndexed
            ? new Map(recordings.recordedChannels().map(({ id, fromUs }) => [id, fromUs]))
            : undefined,
        isConfigured: (channelId) => isConfigured(site, recordings.given.ownerOf(channelId)),
      },
      clock,
      log: options.log.child({ part: "findings" }),
    });
    options.health.monitor.watchFindings(() => this.store.state());
    this.seen = new SeenMarks({ dataDir, clock, log: options.log });
    site.onChange("findings", () => this.#endRemoved());
  }

  /** What the API shows. */
  get shown() {
    const { store: findings, seen, lasting } = this;
    return { findings, seen, lasting, objectTrial: new ObjectTrial(findings) };
  }

  start(): void {
    this.store.start();
    this.seen.start();
    this.#motion.start();
    this.#events.start();
  }

  async stop(): Promise<void> {
    await stopInOrder([this.#motion, this.#events, this.store, this.seen], this.#options.log);
  }

  /** What a camera reports. */
  take(event: CameraEvent): void {
    this.#cameras.take(event);
  }

  forget(channelId: Guid): void {
    this.#cameras.forget(channelId);
  }

  #endRemoved(): void {
    for (const { channelId } of this.lasting.lasting())
      if (!isConfigured(this.#options.site, channelId)) this.lasting.endChannel(channelId);
  }
}

function isConfigured(site: SiteStore, channelId: Guid): boolean {
  return site.current.cameras.some(({ id }) => id === channelId);
}
