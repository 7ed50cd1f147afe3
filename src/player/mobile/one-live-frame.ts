import { type Clock, errorText, NvrdError } from "../../base/index.js";
import { type LiveStream, whyNoFrames } from "../../live/index.js";
import type { TranscodedPicture, TranscodeSpec, Transcoding } from "../../picture/index.js";
import { LOST_CAMERA_TIMEOUT_MS } from "../video/first-frame.js";

/** How long to wait for the stream's newest frame if an older one is available. */
const NEWEST_PATIENCE_MS = 1000;

export interface OneLiveFrameOptions {
  readonly transcoding: Transcoding;
  readonly stream: LiveStream;
  readonly spec: TranscodeSpec;
  /** Called with a function that cancels the wait if the client disconnects or may no longer watch. */
  readonly onCancel: (cancel: () => void) => void;
  readonly clock: Clock;
}

/**
 * The newest picture of a live stream. Undefined if cancelled. Rejects with NvrdError NOT_AVAILABLE if there is none in time,
 * or there are too many transcodes.
 */
export async function oneLiveFrame(options: OneLiveFrameOptions): Promise<TranscodedPicture | undefined> {
  const { transcoding, stream, spec, clock } = options;
  let found: TranscodedPicture | undefined;
  let fault: unknown;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const timers = [clock.setTimeout(() => end(), LOST_CAMERA_TIMEOUT_MS)];
  const viewer = {
    ready: true,
    onPicture: (picture: TranscodedPicture) => {
      if (found === undefined) timers.push(clock.setTimeout(() => end(), NEWEST_PATIENCE_MS));
      found = picture;
      if (!picture.catchingUp) end();
    },
    onFault: (error: unknown) => {
      fault = error;
      if (error instanceof NvrdError && error.code === "NOT_SUPPORTED") end();
    },
  };
  let cancelled = false;
  try {
    options.onCancel(() => {
      cancelled = true;
      end();
    });
    const watch = transcoding.watch({ stream, spec, viewer });
    await ended;
    watch.close();
  } finally {
    for (const timer of timers) timer.clear();
  }
  if (cancelled || found !== undefined) return cancelled ? undefined : found;
  if (fault instanceof NvrdError && fault.code === "NOT_SUPPORTED") throw fault;
  throw new NvrdError("NOT_AVAILABLE", `no picture of the stream (${reasonOf(stream, fault)})`);
}

function reasonOf({ state }: LiveStream, fault: unknown): string {
  if (fault !== undefined) return `its frames cannot be decoded: ${errorText(fault)}`;
  return whyNoFrames(state);
}
