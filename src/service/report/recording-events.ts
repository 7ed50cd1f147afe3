import type { Clock, ClockTimer, Guid } from "../../base/index.js";
import { EVENT_TYPES, type EventInput, type EventLog } from "../../event/index.js";
import {
  episodeEndText,
  type RecordingDecision,
  type RecordingReason,
  type RecordingState,
  reasonText,
} from "../../recording/index.js";
import type { Camera, Site, SiteStore } from "../../site/index.js";
import { channelOf } from "./event-mapping.js";
import { type SteadyChange, SteadyState } from "./steady-state.js";

/** How often the recording state of the channels is checked. */
const LOOK_MS = 1000;
/** Time for the first frames to reach the disk after recording was decided; before that, the state is not checked. */
const SETTLE_US = 3_000_000;

export interface RecordingEventsOptions {
  readonly events: EventLog;
  readonly site: SiteStore;
  readonly recording: {
    state(channelId: Guid): RecordingState;
    onDecision(listener: (decision: RecordingDecision) => void): void;
  };
  readonly clock: Clock;
}

interface Watched {
  readonly state: SteadyState;
  /** The start of recording was reported. */
  isReported: boolean;
  /** A start was decided while the camera sent nothing; it is reported with the first frames. */
  startsLater: boolean;
  decidedUs: number;
}

/**
 * Raises the events of recording. Decisions are reported at once, with the reason; other interruptions (camera lost, disk
 * failure) when they last. Started before the recorder, to get the first decisions.
 */
export class RecordingEvents {
  readonly #options: RecordingEventsOptions;
  readonly #channels = new Map<Guid, Watched>();
  #timer: ClockTimer | undefined;

  constructor(options: RecordingEventsOptions) {
    this.#options = options;
    options.recording.onDecision((decision) => {
      if (this.#timer !== undefined) this.#onDecision(decision);
    });
  }

  start(): void {
    const { clock, site } = this.#options;
    this.#timer = clock.setInterval(() => this.#look(site.current), LOOK_MS);
  }

  stop(): void {
    this.#timer?.clear();
    this.#timer = undefined;
    for (const { state } of this.#channels.values()) state.cancel();
    this.#channels.clear();
  }

  #onDecision({ channelId, reason, previous }: RecordingDecision): void {
    const { site, recording, clock } = this.#options;
    const camera = site.current.cameras.find(({ id }) => id === channelId);
    // The recording of a deleted channel ends with it; the change of the configuration is reported instead.
    if (camera === undefined) return;
    const watched = this.#watched(channelId);
    watched.decidedUs = clock.monotonicUs();
    const { isConnected } = recording.state(channelId);
    if (reason === undefined) {
      // Too short for a check in between.
      if (watched.startsLater && isConnected) this.#conclude(watched, true, { camera, why: previous });
      this.#conclude(watched, false, { camera, why: previous });
    } else if (previous !== undefined) return;
    else if (isConnected) this.#conclude(watched, true, { camera, why: reason });
    else watched.startsLater = true;
  }

  /** Reports a decision, unless that state was already reported. */
  #conclude(
    watched: Watched,
    holds: boolean,
    about: { camera: Camera; why: RecordingReason | undefined },
  ): void {
    watched.state.settle(holds);
    watched.startsLater = false;
    if (watched.isReported === holds) return;
    const comment =
      holds && about.why !== undefined ? reasonText(about.why) : whyEnded(about.camera, about.why);
    this.#raise(watched, { channelId: about.camera.id, holds, comment, why: about.why });
  }

  #look(site: Site): void {
    const { recording, clock } = this.#options;
    for (const camera of site.cameras) {
      const { id } = camera;
      const { reason, isRecording, isConnected } = recording.state(id);
      const watched = this.#watched(id);
      if (watched.startsLater && isRecording) this.#conclude(watched, true, { camera, why: reason });
      if (reason === undefined || clock.monotonicUs() - watched.decidedUs < SETTLE_US) continue;
      const whyNot = isConnected ? "nothing reaches the disk" : "the camera sends nothing";
      watched.state.set(isRecording, isRecording ? reasonText(reason) : whyNot);
    }
    if (this.#channels.size === site.cameras.length) return;
    const known = new Set(site.cameras.map((camera) => camera.id));
    for (const [channelId, { state }] of this.#channels) {
      if (known.has(channelId)) continue;
      state.cancel();
      this.#channels.delete(channelId);
    }
  }

  #watched(channelId: Guid): Watched {
    const known = this.#channels.get(channelId);
    if (known !== undefined) return known;
    const report = ({ holds, reason }: SteadyChange): void => {
      const why = this.#options.recording.state(channelId).reason;
      this.#raise(watched, { channelId, holds, comment: reason, why });
    };
    const state = new SteadyState({ holds: false, clock: this.#options.clock, report });
    const watched: Watched = {
      state,
      isReported: false,
      startsLater: false,
      decidedUs: Number.NEGATIVE_INFINITY,
    };
    this.#channels.set(channelId, watched);
    return watched;
  }

  #raise(
    watched: Watched,
    change: { channelId: Guid; holds: boolean; comment: string; why: RecordingReason | undefined },
  ): void {
    const { events, site } = this.#options;
    const { channelId, holds, comment, why } = change;
    watched.isReported = holds;
    events.raise({
      typeId: holds ? EVENT_TYPES.recordingStarted.id : EVENT_TYPES.recordingStopped.id,
      ...channelOf(site.current, channelId),
      comment,
      ...initiatorOf(holds ? why : undefined),
    });
  }
}

/** Who started the recording; nobody where the system did. */
function initiatorOf(why: RecordingReason | undefined): Pick<EventInput, "initiator"> {
  if (why?.kind === "manual") return { initiator: { type: 1, id: why.by.userId, name: why.by.userName } };
  if (why?.kind === "scenario") return { initiator: why.by };
  return {};
}

/** Why a recording with `reason` has ended. */
function whyEnded(camera: Camera, reason: RecordingReason | undefined): string {
  if (camera.disabled) return "the channel is switched off";
  if (camera.archive.archivingDisabled) return "recording is switched off";
  const { archivingMode } = camera.archive;
  switch (reason?.kind) {
    case "schedule":
    case "clock-unknown":
      if (archivingMode === "BySchedule") return "the schedule's time is over";
      break;
    case "motion":
      if (archivingMode === "MDandManual") return episodeEndText(reason.episode);
      break;
    case "scenario":
      return "the scenario's time is over";
    case "manual":
      if (archivingMode === "OnlyManual" || archivingMode === "MDandManual") return "stopped by hand";
      break;
    default:
  }
  return `recording mode is ${archivingMode}`;
}
