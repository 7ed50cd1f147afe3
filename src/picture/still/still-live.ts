import { type Clock, NvrdError, streamKeyText } from "../../base/index.js";
import {
  type Frame,
  type FrameSink,
  type KeptFrame,
  type LiveStream,
  type StreamState,
  type VideoFormat,
  whyNoFrames,
} from "../../live/index.js";
import type { CodedUnit, Rotation } from "../codec/codec-types.js";
import { RunBound, runUntil, shownAt } from "./still-run.js";
import type { StillFrame, StillMaterial } from "./still-types.js";

/** Time limit for connecting a camera until it sends frames; clients give up after 5 s. */
const CONNECT_TIMEOUT_MS = 4500;
/** Time limit for the next key frame of a connected stream. */
export const KEY_FRAME_TIMEOUT_MS = 10_000;

/** A request for a picture of a live stream. */
export interface LivePicture {
  readonly stream: LiveStream;
  readonly rotation: Rotation;
  /** True: the newest frame, which requires decoding all frames since the key frame. False: the newest key frame. */
  readonly exact: boolean;
}

/** The frame of the newest picture; undefined while the stream keeps none. */
export function newestLiveFrame(picture: LivePicture): StillFrame | undefined {
  const { stream, rotation } = picture;
  const { gop } = stream;
  const frame = isNewest(picture) ? newestOf(gop) : gop[0];
  return frame === undefined ? undefined : frameName(stream, frame, rotation);
}

/** Of a camera without clean key frames each further picture is more right than the one that decoding begins with. */
function isNewest({ stream, exact }: LivePicture): boolean {
  return exact || stream.gop[0]?.damaged === true;
}

/**
 * The frames needed for the newest picture, leased; undefined while the stream keeps none, or when what it released cannot be read
 * back.
 */
export function newestLiveMaterial(picture: LivePicture): Promise<StillMaterial | undefined> {
  const { stream } = picture;
  return new Promise((resolve) => {
    const take = (frames: readonly Frame[]): void =>
      resolve(frames.length === 0 ? undefined : materialOf(picture, frames));
    if (isNewest(picture)) stream.takeGop((gop) => take(usable(gop)));
    else stream.takeKeyFrame((key) => take(key === undefined ? [] : [key]));
  });
}

/**
 * The stream's next key frame, leased; connects the camera if nobody watches it. Of a camera without clean key frames all from one entry
 * up to the next, as only then the picture is whole; what has come of it, where the next one takes too long. Rejects with NvrdError
 * NOT_AVAILABLE, with the stream's reason, if the camera cannot be reached or sends none in time.
 */
export function awaitLiveMaterial(
  picture: LivePicture,
  options: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<StillMaterial> {
  return new Promise((resolve, reject) => {
    const { stream } = picture;
    const { clock, signal } = options;
    const run = new EntryRun();
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
      run.release();
    };
    const give = (): void => settle(() => resolve(materialOf(picture, run.frames)));
    const fail = (waitedMs: number): void => {
      if (run.frames.length > 0) give();
      else settle(() => reject(noFrame(stream.state, waitedMs)));
    };
    const left = (): void => settle(() => reject(new NvrdError("NOT_AVAILABLE", "nobody waits any longer")));
    const sink: FrameSink = {
      onFrame: (frame) => {
        if (!done && run.take(frame)) give();
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

/** The frames from an entry on, leased, until they show a whole picture. */
class EntryRun {
  readonly frames: Frame[] = [];
  readonly #bound = new RunBound();

  /** True once they do: with a clean key frame, or with the entry behind the first one. */
  take(frame: Frame): boolean {
    const isFirst = this.frames.length === 0;
    if (frame.isAudio || (isFirst && !frame.key)) return false;
    if (frame.undecodable) return !isFirst;
    const isClean = frame.key && !frame.damaged;
    if (isClean) this.release();
    else if (!this.#bound.admit(frame.byteLength)) return true;
    frame.retain();
    this.frames.push(frame);
    return isClean || (frame.key && !isFirst);
  }

  release(): void {
    for (const frame of this.frames.splice(0)) frame.release();
  }
}

/** Keeps a camera connected from which only stills are requested: restarts the delay before it is disconnected. */
export function keepConnected(stream: LiveStream): void {
  if (stream.subscribers > 0) return;
  stream.subscribe({ onFrame: ignore }, { fromGop: false, atOnce: false }).close();
}

function noFrame(state: StreamState, waitedMs: number): NvrdError {
  const wait = waitedMs === 0 ? "" : ` within ${waitedMs / 1000} s`;
  return new NvrdError("NOT_AVAILABLE", `no picture of the stream${wait} (${whyNoFrames(state)})`);
}

/** Leases the frames that the picture needs, until `release`. */
function materialOf(picture: LivePicture, frames: readonly Frame[]): StillMaterial {
  const units = frames.map((frame, at) => unitOf(frame, at === 0));
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

/** A decoder goes on over a key frame that is not clean. */
function unitOf(frame: Frame, isFirst: boolean): CodedUnit {
  const { decodeTimeUs, presentationOffsetUs, ranges } = frame;
  const key = frame.key && (isFirst || !frame.damaged);
  return { key, decodeTimeUs, presentationOffsetUs, bytes: ranges.map((range) => range.bytes) };
}

/** The decodable video frames, up to the limits of a still. */
function usable<Kept extends KeptFrame>(gop: readonly Kept[]): readonly Kept[] {
  const bound = new RunBound();
  const frames: Kept[] = [];
  for (const frame of gop) {
    if (frame.isAudio) continue;
    if (frame.undecodable || !bound.admit(frame.byteLength)) break;
    frames.push(frame);
  }
  return frames;
}

function newestOf(gop: readonly KeptFrame[]): KeptFrame | undefined {
  let newest: KeptFrame | undefined;
  for (const frame of usable(gop))
    if (newest === undefined || shownAt(frame) >= shownAt(newest)) newest = frame;
  return newest;
}

function frameName(stream: LiveStream, frame: KeptFrame, rotation: Rotation): StillFrame {
  return { stream: streamKeyText(stream.key), timeUs: frame.decodeTimeUs, rotation };
}

function ignore(): void {
  // Only the subscription itself matters.
}
