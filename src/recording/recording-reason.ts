import { type Camera, isScheduled, type LocalTime } from "../site/index.js";
import type { ManualSwitch } from "./manual-switches.js";
import type { MotionSource } from "./motion/motion-change.js";
import type { TimedRecording } from "./timed-recordings.js";

/** A run of motion of one channel, the seconds after it included. */
export interface MotionEpisode {
  readonly source: MotionSource;
  readonly zone: string;
  /** Unix microseconds. */
  readonly beganUs: number;
  /** When the seconds after it are over; undefined while it lasts. */
  readonly untilUs: number | undefined;
}

/** Why a channel is to be recorded now. */
export type RecordingReason =
  | { readonly kind: "always" }
  | { readonly kind: "schedule" }
  /** By schedule, while the clock is not known: recording too much is better than nothing. */
  | { readonly kind: "clock-unknown" }
  | { readonly kind: "manual"; readonly by: ManualSwitch }
  | { readonly kind: "scenario"; readonly by: TimedRecording }
  | { readonly kind: "motion"; readonly episode: MotionEpisode };

/** The inputs of the modes. */
export interface RecordingCauses {
  /** Undefined while the clock is not known to be set. */
  readonly local: LocalTime | undefined;
  readonly manual: ManualSwitch | undefined;
  /** A scenario records the channel for some time, in every mode. */
  readonly timed?: TimedRecording | undefined;
  readonly motion: MotionEpisode | undefined;
}

/** Why a camera's frames are to go to the archive now; undefined when they are not. */
export function recordingReason(camera: Camera, causes: RecordingCauses): RecordingReason | undefined {
  if (!mayRecord(camera)) return undefined;
  const { local, manual, motion, timed } = causes;
  const byScenario: RecordingReason | undefined =
    timed === undefined ? undefined : { kind: "scenario", by: timed };
  const byHand: RecordingReason | undefined =
    manual === undefined ? byScenario : { kind: "manual", by: manual };
  switch (camera.archive.archivingMode) {
    case "AlwaysOn":
      return { kind: "always" };
    case "BySchedule":
      if (local === undefined) return { kind: "clock-unknown" };
      return isScheduled(camera.archive.schedule, local) ? { kind: "schedule" } : byScenario;
    case "OnlyManual":
      return byHand;
    case "MDandManual":
      return byHand ?? (motion === undefined ? undefined : { kind: "motion", episode: motion });
  }
}

/** Whether a camera is recorded at all, in any mode. */
export function mayRecord(camera: Camera): boolean {
  return !camera.disabled && !camera.archive.archivingDisabled;
}

/** Whether the camera's mode lets users start and stop its recording. */
export function hasManualPart(camera: Camera): boolean {
  const { archivingMode } = camera.archive;
  return archivingMode === "OnlyManual" || archivingMode === "MDandManual";
}

/** The reason in words, for events. */
export function reasonText(reason: RecordingReason): string {
  switch (reason.kind) {
    case "always":
      return "always recorded";
    case "schedule":
      return "by schedule";
    case "clock-unknown":
      return "by schedule; its times are unknown, because the clock is not set";
    case "manual":
      return `started by ${reason.by.userName}`;
    case "scenario":
      return `started by the scenario ${reason.by.name}`;
    case "motion":
      if (reason.episode.source === "blind") return "the motion detector cannot see";
      if (reason.episode.source === "analysis") return "an analyser found something";
      if (reason.episode.source === "seen") return `reported by the camera: ${reason.episode.zone}`;
      if (reason.episode.source === "sight") return `seen by the recorder: ${reason.episode.zone}`;
      return reason.episode.zone === "" ? "motion" : `motion in ${reason.episode.zone}`;
  }
}

/** What has ended when the seconds after an episode are over, in words, for events. */
export function episodeEndText({ source, zone }: MotionEpisode): string {
  switch (source) {
    case "blind":
      return "the motion detector sees again";
    case "analysis":
      return "an analyser finds nothing more";
    case "seen":
      return `no longer reported by the camera: ${zone}`;
    case "sight":
      return `no longer seen by the recorder: ${zone}`;
    default:
      return "motion ended";
  }
}
