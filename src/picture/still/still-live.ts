import { type Clock, NvrdError, streamKeyText } from "../../base/index.js";
import type { Frame, FrameSink, LiveStream, StreamState, VideoFormat } from "../../live/index.js";
import type { CodedUnit, Rotation } from "../codec/codec-types.js";
import { RunBound, runUntil, shownAt } from "./still-run.js";
import type { StillFrame, StillMaterial } from "./still-types.js";

/** How long a camera that has to be connected may take until it sends frames; programs give up after 5 s. */
export const CONNECT_TIMEOUT_MS = 4500;
/** How long a connected stream may take until its next key frame. */
export const KEY_FRAME_TIMEOUT_MS = 10_000;

/** Which picture of a live stream is wanted. */
export interface LivePicture {
  readonly stream: LiveStream;
  readonly rotation: Rotation;
  /** The newest frame, though all since the key frame has to be decoded for it; else the newest key frame. */
  readonly exact: boolean;
}

/** The frame whose picture is the newest; undefined while the stream keeps none. Costs nothing where it is a key frame. */
export function newestLiveFrame({ stream, rotation, exact }: LivePicture): StillFrame | undefined {
  const { gop } = stream;
  const frame = exact ? newestOf(gop) : gop[0];
  return frame === undefined ? undefined : frameName(stream, frame, rotation);
}

/** The newest picture's frames, leased; undefined while the stream keeps none. */
export function newestLiveMaterial(picture: LivePicture): StillMaterial | undefined {
  const [key] = picture.stream.gop;
  if (key === undefined) return undefined;
  return materialOf(picture, picture.exact ? usable(picture.stream.gop) : [key]);
}

/**
 * The stream's next key frame, leased: connects the camera where nobody watches it. Rejects with NvrdError
 * NOT_AVAILABLE, with the stream's reason, when the camera cannot be reached or sends none in time.
 */
export function awaitLiveMaterial(
  picture: LivePicture,
  options: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<StillMaterial> {
  return new Promise((resolve, reject) => {
    const { stream } = picture;
    const { clock, signal } = options;
    let done = false;
    const settle = (end: () => void): void => {
      if (done) return;
      done = true;
      timer.clear();
      states.close();
      signal.removeEventListener("abort", left);
      // Not within the call that delivers a frame or a state.
      queueMicrotask(() => subscription?.close());
      end();
    };
    const fail = (waitedMs: number): void => settle(() => reject(noFrame(stream.state, waitedMs)));
    const left = (): void => settle(() => reject(new NvrdError("NOT_AVAILABLE", "nobody waits any more")));
    const sink: FrameSink = {
      onFrame: (frame) => {
        if (done || frame.isAudio || !frame.key || frame.undecodable) return;
        const material = materialOf(picture, [frame]);
        settle(() => resolve(material));
      },
      onDropped: () => fail(0),
    };
    let timer = clock.setTimeout(() => {
      if (stream.state.state !== "active") fail(CONNECT_TIMEOUT_MS);
      else
        timer = clock.setTimeout(() => fail(KEY_FRAME_TIMEOUT_MS), KEY_FRAME_TIMEOUT_MS - CONNECT_TIMEOUT_MS);
    }, CONNECT_TIMEOUT_MS);
    const states = stream.onState((state) => {
      if (state.state === "lost") fail(0);
    });
    signal.addEventListener("abort", left, { once: true });
    const subscription = stream.subscribe(sink, { fromGop: true, atOnce: true });
    if (signal.aborted) left();
    else if (stream.state.state === "lost") fail(0);
  });
}

/** Keeps a camera connected that only stills are asked of: the wait before it is disconnected begins again. */
export function keepConnected(stream: LiveStream): void {
  if (stream.subscribers > 0) return;
  stream.subscribe({ onFrame: ignore }, { fromGop: false, atOnce: false }).close();
}

function noFrame(state: StreamState, waitedMs: number): NvrdError {
  const reason = state.state === "lost" ? state.reason : `the camera is ${state.state}`;
  const wait = waitedMs === 0 ? "" : ` within ${waitedMs / 1000} s`;
  return new NvrdError("NOT_AVAILABLE", `no picture of the stream${wait} (${reason})`);
}

/** Takes leases on the frames that the picture needs, until `release`. */
function materialOf(picture: LivePicture, frames: readonly Frame[]): StillMaterial {
  const units = frames.map(unitOf);
  const run = runUntil(units, Number.POSITIVE_INFINITY) ?? units;
  const held = frames.slice(0, run.length);
  const last = held.at(-1);
  if (last === undefined) throw new Error("a picture without a frame");
  for (const frame of held) frame.retain();
  return {
    kind: "coded",
    frame: frameName(picture.stream, last, picture.rotation),
    shownUs: shownAt(last),
    format: last.format as VideoFormat,
    units: run,
    lasting: false,
    release: () => {
      for (const frame of held) frame.release();
    },
  };
}

function unitOf(frame: Frame): CodedUnit {
  const { key, decodeTimeUs, presentationOffsetUs, ranges } = frame;
  return { key, decodeTimeUs, presentationOffsetUs, bytes: ranges.map((range) => range.bytes) };
}

/** Video that a decoder can show, as far as one still may take. */
function usable(gop: readonly Frame[]): readonly Frame[] {
  const bound = new RunBound();
  const frames: Frame[] = [];
  for (const frame of gop) {
    if (frame.isAudio) continue;
    if (frame.undecodable || !bound.admit(frame.byteLength)) break;
    frames.push(frame);
  }
  return frames;
}

function newestOf(gop: readonly Frame[]): Frame | undefined {
  let newest: Frame | undefined;
  for (const frame of usable(gop))
    if (newest === undefined || shownAt(frame) >= shownAt(newest)) newest = frame;
  return newest;
}

function frameName(stream: LiveStream, frame: Frame, rotation: Rotation): StillFrame {
  return { stream: streamKeyText(stream.key), timeUs: frame.decodeTimeUs, rotation };
}

function ignore(): void {
  // Frames are not wanted: being subscribed for a moment is.
}
