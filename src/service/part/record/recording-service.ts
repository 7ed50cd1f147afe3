import type { ArchiveAccess } from "../../../archive/index.js";
import { type Clock, type ClockKnowledge, type Guid, type Log, stopInOrder } from "../../../base/index.js";
import { EVENT_TYPES, type EventLog } from "../../../event/index.js";
import type { StreamDirectory } from "../../../live/index.js";
import {
  type ManualRequest,
  type ManualSwitch,
  ManualSwitches,
  MotionStates,
  Recorder,
  type RecordingState,
  SeenStates,
  type TimedRecording,
  ZoneStates,
} from "../../../recording/index.js";
import type { SiteStore } from "../../../site/index.js";
import { channelOf } from "../../report/event-mapping.js";
import { MotionEvents } from "../../report/motion-events.js";
import { RecordingEvents } from "../../report/recording-events.js";

export interface RecordingServiceOptions {
  readonly site: SiteStore;
  readonly streams: StreamDirectory;
  readonly archive: ArchiveAccess;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly knowledge: ClockKnowledge;
  readonly dataDir: string;
  /** IANA time zone of the schedules; default: this machine's. */
  readonly zone?: string;
  /** See `Recorder`. */
  readonly preRollBytesMax?: number;
  readonly log: Log;
}

/** Recording: motion states, manual recording, the recorder, and their events. */
export class RecordingService {
  /** The motion states of all channels; every source reports here. */
  readonly motion: MotionStates;
  /** What cameras report besides motion, where their channels are recorded on it; and all that they report. */
  readonly seenMotion: MotionStates;
  readonly seen: SeenStates;
  /** What the recorder sees in the zones of cameras. */
  readonly zones = new ZoneStates();
  readonly #options: RecordingServiceOptions;
  readonly #manual: ManualSwitches;
  readonly #recorder: Recorder;
  readonly #recordingEvents: RecordingEvents;
  readonly #motionEvents: MotionEvents;

  constructor(options: RecordingServiceOptions) {
    const { site, events, clock, dataDir, log } = options;
    this.#options = options;
    this.motion = new MotionStates(clock);
    this.seenMotion = new MotionStates(clock);
    this.seen = new SeenStates(clock);
    this.#manual = new ManualSwitches({ dataDir, log });
    this.#recorder = new Recorder({
      ...options,
      motion: this.motion,
      seenMotion: this.seenMotion,
      manual: this.#manual,
    });
    this.#recordingEvents = new RecordingEvents({ events, site, recording: this.#recorder, clock });
    this.#motionEvents = new MotionEvents({ events, site, motion: this.motion, clock });
  }

  start(): void {
    this.#manual.start();
    this.#recordingEvents.start();
    this.#motionEvents.start();
    this.#recorder.start();
  }

  /** Resolves when all recordings are durable. */
  async stop(): Promise<void> {
    const { motion, seenMotion, seen } = this;
    const parts = [
      this.#motionEvents,
      this.#recordingEvents,
      this.#recorder,
      motion,
      seenMotion,
      seen,
      this.#manual,
    ];
    await stopInOrder(parts, this.#options.log);
  }

  isRecording(channelId: Guid): boolean {
    return this.#recorder.isRecording(channelId);
  }

  state(channelId: Guid): RecordingState {
    return this.#recorder.state(channelId);
  }

  /** See `Recorder`. */
  receivedBytes(channelId: Guid): number | undefined {
    return this.#recorder.receivedBytes(channelId);
  }

  /** See `Recorder`. */
  get preRollRefusals(): number {
    return this.#recorder.preRollRefusals;
  }

  manualSwitch(channelId: Guid): ManualSwitch | undefined {
    return this.#recorder.manualSwitch(channelId);
  }

  /** See `Recorder`. */
  recordFor(channelId: Guid, seconds: number, by: TimedRecording): void {
    this.#recorder.recordFor(channelId, seconds, by);
  }

  /** See `Recorder`; the user's action is also stored as an event. */
  switchManually(request: ManualRequest): Promise<boolean> {
    const { channelId, on, userId, userName } = request;
    const { events, site } = this.#options;
    const wasOn = this.manualSwitch(channelId) !== undefined;
    const kept = this.#recorder.switchManually(request);
    if (wasOn === on || (this.manualSwitch(channelId) !== undefined) !== on) return kept;
    events.raise({
      typeId: on ? EVENT_TYPES.recordingSwitchedOn.id : EVENT_TYPES.recordingSwitchedOff.id,
      ...channelOf(site.current, channelId),
      initiator: { type: 1, id: userId, name: userName },
    });
    return kept;
  }
}
