import type { ArchiveAccess } from "../../archive/index.js";
import { type Clock, EMPTY_GUID, type Guid, type Interval } from "../../base/index.js";
import type { GapReason } from "../../contract/answer/index.js";
import type { EventLog } from "../../event/index.js";
import { recordingMode } from "../../recording/index.js";
import { archiveStreamType, type Camera, type SiteStore } from "../../site/index.js";
import { type Cause, CauseLog } from "./cause-log.js";
import { type ChannelHistory, type ChannelNow, channelHistory } from "./channel-history.js";
import { ChannelReasons, type DeletedTime } from "./channel-reasons.js";
import { firstRecordedUs } from "./recorded-runs.js";
import { type RecorderHistory, recorderHistory } from "./recorder-history.js";
import { type ScheduleTime, scheduledTimes } from "./schedule-times.js";

interface GapReasonsOptions {
  readonly events: EventLog;
  readonly site: Pick<SiteStore, "current">;
  readonly archive: Pick<ArchiveAccess, "nearestFrameUs" | "indexFault" | "onChange">;
  /** What retention has deleted of a channel, in order. */
  readonly deletedTimes: (channelId: Guid) => readonly DeletedTime[];
  /** Whether the channel's frames are written now. */
  readonly isRecording: (channelId: Guid) => boolean;
  readonly clock: Clock;
}

interface KeptHistory extends ChannelNow {
  readonly causes: readonly Cause[];
  readonly recorder: RecorderHistory;
  readonly history: ChannelHistory;
}

/** Why channels were not recorded: from the event log, the configuration, and what retention has deleted. */
export class GapReasons {
  readonly #options: GapReasonsOptions;
  readonly #causes: CauseLog;
  readonly #histories = new Map<Guid, KeptHistory>();
  readonly #firstUs = new Map<Guid, number>();
  #isListening = false;
  #recorder: { readonly causes: readonly Cause[]; readonly history: RecorderHistory } | undefined;

  constructor(options: GapReasonsOptions) {
    this.#options = options;
    this.#causes = new CauseLog(options.events);
  }

  /**
   * Explains gaps of a channel within a time. Rejects with NvrdError NOT_AVAILABLE if the event log cannot be read. The result
   * holds for this moment.
   */
  async of(camera: Camera, within: Interval): Promise<ChannelReasons> {
    const { archive, deletedTimes, isRecording, clock } = this.#options;
    const recorder = this.#recorderHistory(await this.#causes.of(EMPTY_GUID));
    const channel = this.#channelHistory(camera, await this.#causes.of(camera.id), recorder);
    const isScheduled = channel.modes.some(({ mode }) => mode === "BySchedule");
    return new ChannelReasons({
      recorder,
      channel,
      scheduled: isScheduled ? scheduledTimes(schedulesOf(channel, camera), within) : [],
      deleted: deletedTimes(camera.id),
      firstRecordedUs: this.#firstRecordedUs(camera.id),
      isKnown: (fromUs) => archive.indexFault(fromUs) === undefined,
      isRecording: isRecording(camera.id),
      nowUs: clock.nowUs(),
      fromUs: within.fromUs,
      untilUs: Math.min(within.toUs, clock.nowUs()),
    });
  }

  /** Why most of a time without recordings of a channel has none. Rejects as `of`. */
  async reasonOf(channelId: Guid, fromUs: number, toUs: number): Promise<GapReason> {
    const camera = this.#options.site.current.cameras.find(({ id }) => id === channelId);
    if (camera === undefined) return "unknown";
    return (await this.of(camera, { fromUs, toUs })).main({ fromUs, toUs });
  }

  /** Where a channel's recordings begin: kept until something is added or removed there. */
  #firstRecordedUs(channelId: Guid): number | undefined {
    const { archive } = this.#options;
    if (!this.#isListening)
      archive.onChange((change) => {
        if (change === undefined) this.#firstUs.clear();
        else if (change.fromUs <= (this.#firstUs.get(change.key.channelId) ?? 0))
          this.#firstUs.delete(change.key.channelId);
      });
    this.#isListening = true;
    const known = this.#firstUs.get(channelId);
    if (known !== undefined) return known;
    const firstUs = firstRecordedUs(archive, channelId);
    if (firstUs !== undefined && archive.indexFault() === undefined) this.#firstUs.set(channelId, firstUs);
    return firstUs;
  }

  #recorderHistory(causes: readonly Cause[]): RecorderHistory {
    if (this.#recorder?.causes !== causes) this.#recorder = { causes, history: recorderHistory(causes) };
    return this.#recorder.history;
  }

  /** Worked out anew when something was added to the log, or the configuration of the channel has changed. */
  #channelHistory(camera: Camera, causes: readonly Cause[], recorder: RecorderHistory): ChannelHistory {
    const now = { mode: recordingMode(camera), streamType: archiveStreamType(camera) };
    const kept = this.#histories.get(camera.id);
    const isSame = kept?.causes === causes && kept.recorder === recorder;
    if (isSame && kept.mode === now.mode && kept.streamType === now.streamType) return kept.history;
    this.#retain();
    const history = channelHistory(causes, now, recorder);
    this.#histories.set(camera.id, { ...now, causes, recorder, history });
    return history;
  }

  /** Forgets deleted channels. */
  #retain(): void {
    const { cameras } = this.#options.site.current;
    const isThere = (channelId: Guid) => cameras.some(({ id }) => id === channelId);
    this.#causes.retain(isThere);
    for (const kept of [this.#histories, this.#firstUs])
      for (const channelId of kept.keys()) if (!isThere(channelId)) kept.delete(channelId);
  }
}

function schedulesOf({ schedules }: ChannelHistory, { archive: { schedule } }: Camera): ScheduleTime[] {
  const fromUs = schedules.at(-1)?.toUs ?? 0;
  return [...schedules, { fromUs, toUs: Number.POSITIVE_INFINITY, isKnown: true, schedule }];
}
