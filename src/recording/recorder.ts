import type { ArchiveAccess } from "../archive/index.js";
import {
  ByteBudget,
  CLOCK_KNOWN,
  type Clock,
  type ClockKnowledge,
  type ClockTimer,
  type Guid,
  type Log,
  NvrdError,
  US_PER_MS,
  US_PER_SECOND,
} from "../base/index.js";
import type { LiveStream, StreamDirectory } from "../live/index.js";
import {
  archiveStreamType,
  type Camera,
  cameraOptions,
  type LocalClock,
  type LocalTime,
  SITE_LIMITS,
  type Site,
  type SiteStore,
} from "../site/index.js";
import { ChannelRecorder, type ChannelRecording } from "./channel-recorder.js";
import { Handover } from "./handover.js";
import { localClock } from "./local-clock.js";
import type { ManualSwitch, ManualSwitches } from "./manual-switches.js";
import type { MotionStates } from "./motion/motion-states.js";
import { MOTION_LATE_US_MAX, MotionEpisodes } from "./motion-episodes.js";
import { PRE_ROLL_TOTAL_BYTES_MAX } from "./pre-roll.js";
import { hasManualPart, mayRecord, type RecordingReason, recordingReason } from "./recording-reason.js";
import { type TimedRecording, TimedRecordings } from "./timed-recordings.js";

/** Schedules are evaluated each second of the clock. */
const CHECK_US = 1_000_000;

export interface RecorderOptions {
  readonly site: SiteStore;
  readonly streams: StreamDirectory;
  readonly archive: ArchiveAccess;
  readonly motion: MotionStates;
  /** What cameras report besides motion, as far as their channels are recorded on it. */
  readonly seenMotion?: MotionStates;
  readonly manual: ManualSwitches;
  readonly clock: Clock;
  /** The state of `clock`; default: known. */
  readonly knowledge?: ClockKnowledge;
  /** IANA time zone of the schedules; default: this machine's. */
  readonly zone?: string;
  /** Most bytes of frames that all channels keep for recordings that begin before motion; PRE_ROLL_TOTAL_BYTES_MAX by default. */
  readonly preRollBytesMax?: number;
  readonly log: Log;
}

/** A channel's recording begins, ends or continues for a different reason. */
export interface RecordingDecision {
  readonly channelId: Guid;
  /** Undefined: it is not recorded from now on. */
  readonly reason: RecordingReason | undefined;
  readonly previous: RecordingReason | undefined;
}

/** The state of a channel's recording. */
export interface RecordingState {
  /** Why it is to be recorded; undefined when it is not. */
  readonly reason: RecordingReason | undefined;
  /** Whether frames go to the disk. */
  readonly isRecording: boolean;
  /** Whether the camera sends frames. */
  readonly isConnected: boolean;
}

/** A user's request to start or stop a channel's recording. */
export interface ManualRequest {
  readonly channelId: Guid;
  readonly on: boolean;
  readonly userId: Guid;
  readonly userName: string;
}

type LocalTimeOnce = () => LocalTime | undefined;

interface Channel {
  readonly camera: Camera;
  readonly recorder: ChannelRecorder;
  /** From the stream that was archived before. */
  readonly handover: Handover | undefined;
  reason: RecordingReason | undefined;
}

/** Records each channel according to its mode. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #local: LocalClock;
  readonly #knowledge: ClockKnowledge;
  readonly #budget: ByteBudget;
  readonly #channels = new Map<Guid, Channel>();
  readonly #stopping = new Set<Promise<void>>();
  readonly #listeners: ((decision: RecordingDecision) => void)[] = [];
  readonly #motion: MotionEpisodes;
  readonly #timed: TimedRecordings;
  #timer: ClockTimer | undefined;
  #running = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#budget = new ByteBudget(options.preRollBytesMax ?? PRE_ROLL_TOTAL_BYTES_MAX);
    this.#local = localClock(options.zone);
    this.#knowledge = options.knowledge ?? CLOCK_KNOWN;
    this.#motion = new MotionEpisodes({
      motion: options.seenMotion === undefined ? [options.motion] : [options.motion, options.seenMotion],
      clock: options.clock,
      afterUs: (channelId) => this.#postMotionUs(channelId),
      changed: (channelId) => this.#decide(channelId),
    });
    this.#timed = new TimedRecordings(options.clock, (channelId) => this.#decide(channelId));
    options.site.onChange("recording", (site) => this.#follow(site));
  }

  start(): void {
    this.#running = true;
    this.#motion.start();
    this.#follow(this.#options.site.current);
  }

  /** Resolves when all that was recorded is durable. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#motion.stop();
    this.#timed.stop();
    this.#timer?.clear();
    for (const channelId of [...this.#channels.keys()]) this.#remove(channelId);
    await Promise.all(this.#stopping);
  }

  /** Called for each decision when it is made. */
  onDecision(listener: (decision: RecordingDecision) => void): void {
    this.#listeners.push(listener);
  }

  /** True while the channel's frames go to the disk. */
  isRecording(channelId: Guid): boolean {
    return isRecording(this.#channels.get(channelId));
  }

  state(channelId: Guid): RecordingState {
    const channel = this.#channels.get(channelId);
    return {
      reason: channel?.reason,
      isRecording: isRecording(channel),
      isConnected: channel?.recorder.stream.state.state === "active",
    };
  }

  /** What came of the stream that is recorded, bytes; begins anew with another stream. Undefined: none is. */
  receivedBytes(channelId: Guid): number | undefined {
    return this.#channels.get(channelId)?.recorder.stream.counts.bytes;
  }

  /** How often frames of the pre-roll were dropped for lack of memory. */
  get preRollRefusals(): number {
    return this.#budget.refusals;
  }

  /** Who switched the channel's recording on; undefined when nobody did. */
  manualSwitch(channelId: Guid): ManualSwitch | undefined {
    return this.#options.manual.of(channelId);
  }

  /**
   * Starts or stops the manual part of a channel's recording. Acts at once; resolves with whether that survives a restart.
   * Rejects with NvrdError NOT_FOUND, or CONFLICT if the channel's mode has no such part.
   */
  async switchManually(request: ManualRequest): Promise<boolean> {
    const { channelId, on, userId } = request;
    const { manual, clock } = this.#options;
    refuseWithoutManualPart(this.#recordable(channelId));
    const sinceUs = manual.of(channelId)?.sinceUs ?? clock.nowUs();
    const userName = request.userName.slice(0, SITE_LIMITS.nameLengthMax);
    const kept = manual.set(channelId, on ? { userId, userName, sinceUs } : undefined);
    this.#decide(channelId);
    return kept;
  }

  /**
   * Records the channel for some seconds from now, in every mode; a longer time that runs already goes on. Not kept over a
   * restart. Throws NvrdError NOT_FOUND, or CONFLICT if the channel is not recorded at all.
   */
  recordFor(channelId: Guid, seconds: number, by: TimedRecording): void {
    this.#recordable(channelId);
    this.#timed.start(channelId, seconds, by);
  }

  #recordable(channelId: Guid): Camera {
    const camera = this.#options.site.current.cameras.find(({ id }) => id === channelId);
    if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${channelId}`);
    refuseUnrecorded(camera);
    return camera;
  }

  #follow(site: Site): void {
    if (!this.#running) return;
    const cameras = new Map(site.cameras.map((camera) => [camera.id, camera]));
    this.#options.manual.retain((channelId) => {
      const camera = cameras.get(channelId);
      return camera !== undefined && hasManualPart(camera);
    });
    const isRecordable = (channelId: Guid): boolean => {
      const camera = cameras.get(channelId);
      return camera !== undefined && mayRecord(camera);
    };
    this.#timed.retain(isRecordable);
    for (const channelId of [...this.#channels.keys()]) if (!isRecordable(channelId)) this.#remove(channelId);
    this.#options.archive.retainWriters((channelId) => cameras.has(channelId));
    const local = this.#localTimeOnce();
    for (const camera of site.cameras) if (mayRecord(camera)) this.#followCamera(camera, local);
    this.#scheduleCheck();
  }

  #followCamera(camera: Camera, local: LocalTimeOnce): void {
    const stream = this.#options.streams.stream(camera.id, archiveStreamType(camera));
    if (stream === undefined) {
      this.#remove(camera.id);
      return;
    }
    const known = this.#channels.get(camera.id);
    const reason = known?.reason;
    if (known?.recorder.stream === stream) {
      const { recorder, handover } = known;
      recorder.configure(channelRecording(camera));
      this.#channels.set(camera.id, { camera, recorder, handover, reason });
    } else {
      // Before the new recorder: what is handed over may be of the stream that it takes.
      known?.handover?.end();
      if (known !== undefined && !this.#mayHandOver(known, stream)) this.#await(known.recorder.stop());
      const recorder = this.#createRecorder(camera, stream);
      const handover = this.#handOver(known, recorder);
      this.#channels.set(camera.id, { camera, recorder, handover, reason });
    }
    this.#motion.follow(camera.id);
    this.#decide(camera.id, local);
  }

  /** Whether what is recorded now can go on beside another stream: while it lasts, and is not to be recorded anew. */
  #mayHandOver({ recorder, reason }: Channel, next: LiveStream): boolean {
    const { channelId, streamType } = recorder.stream.key;
    const isThere = this.#options.streams.stream(channelId, streamType) === recorder.stream;
    return reason !== undefined && recorder.isOn && isThere && next.key.streamType !== streamType;
  }

  #handOver(known: Channel | undefined, to: ChannelRecorder): Handover | undefined {
    if (known === undefined || !this.#mayHandOver(known, to.stream)) return undefined;
    const onStop = (stopping: Promise<void>) => this.#await(stopping);
    return new Handover({ from: known.recorder, to, clock: this.#options.clock, onStop });
  }

  #createRecorder(camera: Camera, stream: LiveStream): ChannelRecorder {
    const { archive, clock, log } = this.#options;
    const recording = channelRecording(camera);
    return new ChannelRecorder({ stream, archive, recording, budget: this.#budget, clock, log });
  }

  #remove(channelId: Guid): void {
    const channel = this.#channels.get(channelId);
    if (channel === undefined) return;
    this.#channels.delete(channelId);
    this.#motion.follow(channelId);
    channel.handover?.end();
    this.#await(channel.recorder.stop());
    if (this.#running) this.#notify(channelId, undefined, channel.reason);
  }

  #await(stopping: Promise<void>): void {
    this.#stopping.add(stopping);
    stopping.finally(() => this.#stopping.delete(stopping));
  }

  /** Decides at each full second of the wall clock, which may have stepped, while a channel is recorded by a schedule. */
  #scheduleCheck(): void {
    const isNeeded = [...this.#channels.values()].some(({ camera }) => isBySchedule(camera));
    if (!isNeeded || this.#timer !== undefined) return;
    const { clock } = this.#options;
    const delayUs = CHECK_US - (clock.nowUs() % CHECK_US);
    this.#timer = clock.setTimeout(() => {
      this.#timer = undefined;
      const local = this.#localTimeOnce();
      for (const channel of this.#channels.values())
        if (isBySchedule(channel.camera)) this.#decide(channel.camera.id, local);
      this.#scheduleCheck();
    }, delayUs / US_PER_MS);
  }

  /** The current local time, computed at most once per tick, and only if needed. */
  #localTimeOnce(): LocalTimeOnce {
    let found: LocalTime | undefined;
    return () => {
      if (this.#knowledge.isKnown) found ??= this.#local(this.#options.clock.nowUs());
      return found;
    };
  }

  #decide(channelId: Guid, localTime = this.#localTimeOnce()): void {
    const channel = this.#channels.get(channelId);
    if (channel === undefined) return;
    const previous = channel.reason;
    const manual = this.#options.manual.of(channelId);
    const motion = this.#motion.of(channelId);
    const timed = this.#timed.of(channelId);
    const local = isBySchedule(channel.camera) ? localTime() : undefined;
    channel.reason = recordingReason(channel.camera, { local, manual, motion, timed });
    this.#apply(channel);
    if (channel.reason?.kind !== previous?.kind) this.#notify(channelId, channel.reason, previous);
  }

  #apply({ camera, recorder, handover, reason }: Channel): void {
    if (reason === undefined) {
      handover?.end();
      recorder.pause();
    } else if (reason.kind === "motion") {
      const { beganUs, untilUs } = reason.episode;
      recorder.record(beganUs - preMotionUs(camera), untilUs);
    } else {
      // Motion may be reported just after a user has seen it and switched on: the seconds before are then kept too.
      const reachBackUs = camera.archive.archivingMode === "MDandManual" ? preMotionUs(camera) : 0;
      recorder.record(this.#options.clock.nowUs() - reachBackUs);
    }
  }

  #notify(channelId: Guid, reason: RecordingReason | undefined, previous: RecordingReason | undefined): void {
    if (reason === undefined && previous === undefined) return;
    for (const listener of this.#listeners) listener({ channelId, reason, previous });
  }

  #postMotionUs(channelId: Guid): number | undefined {
    const camera = this.#channels.get(channelId)?.camera;
    if (camera?.archive.archivingMode !== "MDandManual") return undefined;
    return cameraOptions(camera).archive.postMotionSeconds * US_PER_SECOND;
  }
}

function isRecording(channel: Channel | undefined): boolean {
  if (channel === undefined) return false;
  const { recorder, handover } = channel;
  return recorder.isRecording || (handover?.isOver === false && handover.from.isRecording);
}

function refuseUnrecorded(camera: Camera): void {
  if (mayRecord(camera)) return;
  const what = camera.disabled ? "the channel is disabled" : "its archiving is disabled";
  throw new NvrdError("CONFLICT", `channel ${camera.id} cannot be recorded: ${what}`, {
    hint: "an administrator changes that with PUT /configure/channels/{id}",
  });
}

function refuseWithoutManualPart(camera: Camera): void {
  if (hasManualPart(camera)) return;
  const { archivingMode } = camera.archive;
  throw new NvrdError("CONFLICT", `channel ${camera.id} is recorded in the mode ${archivingMode}`, {
    hint: "users can start and stop recording only in the modes OnlyManual and MDandManual",
  });
}

function isBySchedule(camera: Camera): boolean {
  return camera.archive.archivingMode === "BySchedule";
}

function channelRecording(camera: Camera): ChannelRecording {
  const { frameRateLimitEnabled, frameRateLimit } = cameraOptions(camera).archive;
  return {
    withSound: camera.connection.soundReceivingEnabled && !camera.archive.archivingSoundDisabled,
    limit: frameRateLimitEnabled ? { framesPerSecond: frameRateLimit } : undefined,
    reachBackUs:
      camera.archive.archivingMode === "MDandManual" ? preMotionUs(camera) + MOTION_LATE_US_MAX : 0,
  };
}

function preMotionUs(camera: Camera): number {
  return cameraOptions(camera).archive.preMotionSeconds * US_PER_SECOND;
}
