import { type Interval, STREAM_TYPES, type StreamType, union } from "../../base/index.js";
import { type RecordingMode, readModeChange, readScheduleChange } from "../../recording/index.js";
import type { Cause, CauseName } from "./cause-log.js";
import type { RecorderHistory } from "./recorder-history.js";
import type { ScheduleTime } from "./schedule-times.js";

/** A time in which a channel was recorded in one mode. */
export interface ModeTime extends Interval {
  readonly mode: RecordingMode;
}

/** What the events of a channel say about times in which it was not recorded. */
export interface ChannelHistory {
  /** In order, without a hole; the first begins at the beginning of time. */
  readonly modes: readonly ModeTime[];
  /** Former schedules in order, without a hole; the first begins at the beginning of time. The present one follows. */
  readonly schedules: readonly ScheduleTime[];
  /** When the channel was added; undefined if the log does not reach back to that. */
  readonly addedUs: number | undefined;
  /** When the archived stream was lost. */
  readonly lost: readonly Interval[];
  /** When any stream of the camera was. */
  readonly anyLost: readonly Interval[];
  /** When something of the archived stream came and could not be recorded. */
  readonly unrecorded: readonly Interval[];
  /** When frames could not be written. */
  readonly dropping: readonly Interval[];
  /** When a user had recording switched on. */
  readonly switchedOn: readonly Interval[];
}

export interface ChannelNow {
  readonly mode: RecordingMode;
  /** The stream that is recorded. */
  readonly streamType: StreamType;
}

/** `causes`: in the order of time. */
export function channelHistory(
  causes: readonly Cause[],
  now: ChannelNow,
  recorder: RecorderHistory,
): ChannelHistory {
  const { modes, addedUs } = modeTimes(causes, now, recorder);
  const off = modes.filter(({ mode }) => mode === "off").map(({ fromUs }) => fromUs);
  const started = recorder.downTimes.map(({ toUs }) => toUs);
  const forgotten = [...started, ...off].sort((a, b) => a - b);
  const spansOf = (began: CauseName, ended: CauseName, streamType?: StreamType) =>
    spans(
      causes.filter(({ comment }) => streamType === undefined || streamTypeOf(comment) === streamType),
      { began, ended, endsUs: began === "recordingSwitchedOn" ? [] : forgotten },
    );
  return {
    modes,
    schedules: formerSchedules(causes),
    addedUs,
    lost: spansOf("cameraLost", "cameraBack", now.streamType),
    anyLost: union(STREAM_TYPES.flatMap((type) => spansOf("cameraLost", "cameraBack", type))),
    unrecorded: spansOf("framesLost", "framesComplete", now.streamType),
    dropping: union(STREAM_TYPES.flatMap((type) => spansOf("droppingStarted", "droppingEnded", type))),
    switchedOn: spansOf("recordingSwitchedOn", "recordingSwitchedOff"),
  };
}

/** The stream that a comment begins with: `Main: no route to host`. */
function streamTypeOf(comment: string): StreamType | undefined {
  const said = comment.split(":", 1)[0];
  return STREAM_TYPES.find((streamType) => streamType === said);
}

interface SpanEvents {
  readonly began: CauseName;
  readonly ended: CauseName;
  /** What also ends a span: a new run of the service, and a channel that is switched on again, are watched anew. */
  readonly endsUs: readonly number[];
}

function spans(causes: readonly Cause[], { began, ended, endsUs }: SpanEvents): Interval[] {
  const found: Interval[] = [];
  let openUs: number | undefined;
  const close = (toUs: number): void => {
    if (openUs !== undefined && toUs > openUs) found.push({ fromUs: openUs, toUs });
    openUs = undefined;
  };
  let at = 0;
  for (const { name, timeUs } of causes) {
    for (; at < endsUs.length && (endsUs[at] ?? 0) <= timeUs; at++) close(endsUs[at] ?? timeUs);
    if (name === began) openUs ??= timeUs;
    else if (name === ended) close(timeUs);
  }
  for (; at < endsUs.length; at++) if (openUs !== undefined) close(endsUs[at] ?? openUs);
  close(Number.POSITIVE_INFINITY);
  return found;
}

/** Each change names the schedule that held up to it. */
function formerSchedules(causes: readonly Cause[]): ScheduleTime[] {
  const former: ScheduleTime[] = [];
  for (const { name, timeUs: toUs, comment } of causes) {
    const before = name === "recordingModeChanged" ? readScheduleChange(comment) : undefined;
    if (before !== undefined) former.push({ fromUs: former.at(-1)?.toUs ?? 0, toUs, ...before });
  }
  return former;
}

function modeTimes(
  causes: readonly Cause[],
  now: ChannelNow,
  { downTimes }: RecorderHistory,
): Pick<ChannelHistory, "modes" | "addedUs"> {
  const modes: ModeTime[] = [];
  let addedUs: number | undefined;
  let fromUs = 0;
  let mode: RecordingMode | undefined;
  const change = (timeUs: number, to: RecordingMode): void => {
    if (mode !== undefined && timeUs > fromUs) modes.push({ fromUs, toUs: timeUs, mode });
    if (mode !== undefined) fromUs = timeUs;
    mode = to;
  };
  for (const { name, timeUs, comment } of causes) {
    const modeChange = name === "recordingModeChanged" ? readModeChange(comment) : undefined;
    if (modeChange === undefined) continue;
    if (modeChange.from === undefined) addedUs = timeUs;
    mode ??= modeChange.from ?? modeChange.to;
    change(timeUs, modeChange.to);
  }
  // A change that was made while the service was stopped has no event.
  const startedUs = downTimes.findLast(({ toUs }) => Number.isFinite(toUs))?.toUs;
  if (mode !== now.mode) change(Math.max(fromUs, startedUs ?? fromUs), now.mode);
  modes.push({ fromUs, toUs: Number.POSITIVE_INFINITY, mode: now.mode });
  return { modes, addedUs };
}
