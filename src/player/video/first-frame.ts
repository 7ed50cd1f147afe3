import { type Clock, type ClockTimer, NvrdError, setTimeLimit } from "../../base/index.js";
import { type LiveStream, whyNoFrames } from "../../live/index.js";

/** How long a viewer waits for the first frame of a camera that does not answer; clients give up after 5 s. */
export const LOST_CAMERA_TIMEOUT_MS = 4500;

export interface FirstFrameLimit {
  readonly stream: LiveStream;
  readonly clock: Clock;
  /** How long a camera that answers is waited for: it may take long until its next key frame. */
  readonly withinMs: number;
}

/**
 * Calls `onNone` once, with NvrdError NOT_AVAILABLE and the stream's reason, when the first frame is not waited for any longer; never
 * after the timer was cleared.
 */
export function limitFirstFrame(limit: FirstFrameLimit, onNone: (error: NvrdError) => void): ClockTimer {
  const { stream, clock, withinMs } = limit;
  const refuse = (waitedMs: number): void => onNone(noFrameWithin(stream, waitedMs));
  let timer = setTimeLimit(
    clock,
    () => {
      if (stream.state.state === "lost") refuse(LOST_CAMERA_TIMEOUT_MS);
      else timer = clock.setTimeout(() => refuse(withinMs), withinMs - LOST_CAMERA_TIMEOUT_MS);
    },
    LOST_CAMERA_TIMEOUT_MS,
  );
  return { clear: () => timer.clear() };
}

function noFrameWithin(stream: LiveStream, waitedMs: number): NvrdError {
  const reason = whyNoFrames(stream.state);
  return new NvrdError("NOT_AVAILABLE", `no frame of the stream within ${waitedMs / 1000} s (${reason})`);
}
