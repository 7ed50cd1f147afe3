import {
  type Clock,
  type Log,
  newGuid,
  pauseUnlessAborted,
  setTimeLimit,
  US_PER_SECOND,
} from "../../base/index.js";

import type { ReadingResult } from "../../contract/answer/index.js";
import { codecName, type FrameSink, LiveStream } from "../../live/index.js";
import type { Camera } from "../../site/index.js";
import { RESULT_OF_FAILURE } from "../device/device-adding.js";
import { type StreamAddress, streamTarget } from "../device/stream-address.js";
import type { SourceFactory, StreamSource } from "./managed-stream.js";

/** Longest time until the camera sends its first key frame. */
export const TRIAL_MS_MAX = 20_000;
/** How long the frames are counted. */
export const TRIAL_MEASURED_MS = 2000;
const BITS_PER_BYTE = 8;
const KBIT = 1000;
const MS_PER_SECOND = 1000;

/** What a stream is found to be. */
export interface TriedStream {
  readonly codec: string;
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
  readonly kbitPerSecond: number;
  readonly hasSound: boolean;
}

export interface StreamTrial {
  readonly result: ReadingResult;
  /** For the installer; empty on success. */
  readonly reason: string;
  readonly stream?: TriedStream;
}

export interface TrialOptions {
  readonly signal: AbortSignal;
  /** Called while the stream is connected; the trial ends when it has settled. Must not reject. */
  readonly onConnected: (stream: LiveStream) => Promise<void>;
}

export interface StreamTrialsOptions {
  readonly createSource: SourceFactory;
  readonly clock: Clock;
  readonly log: Log;
}

/** Tries the main stream of a camera that is known by its address, before its settings are stored. */
export class StreamTrials {
  readonly #options: StreamTrialsOptions;

  constructor(options: StreamTrialsOptions) {
    this.#options = options;
  }

  /** Undefined for a camera whose device is asked for the address. Never rejects. */
  async try(camera: Camera, options: TrialOptions): Promise<StreamTrial | undefined> {
    const target = streamTarget({ ...camera, disabled: false }, "Main", () => UNASKED);
    if (target === undefined) return { result: "NoStream", reason: "the camera has no main stream" };
    if (target.kind === "pending") return undefined;
    if (target.kind === "lost") return { result: RESULT_OF_FAILURE[target.cause], reason: target.reason };
    return await this.#connect(target.address, options);
  }

  async #connect(address: StreamAddress, { signal, onConnected }: TrialOptions): Promise<StreamTrial> {
    const { createSource, log, clock } = this.#options;
    // An id of its own: what is learned of this stream is no knowledge of the camera as it is stored.
    const stream = new LiveStream({ channelId: newGuid(), streamType: "Main" }, log);
    const source: StreamSource = createSource(address, stream);
    const count = new FrameCount();
    const counting = stream.subscribe(count, { fromGop: false, atOnce: false });
    try {
      source.start();
      const failure = await firstPicture(stream, count, { clock, signal });
      if (failure !== undefined) return failure;
      const shown = onConnected(stream);
      const found = await measure(stream, count, { clock, signal });
      await shown;
      return { result: "Readable", reason: "", stream: found };
    } finally {
      counting.close();
      await source.stop();
    }
  }
}

const UNASKED = { profiles: undefined, failure: undefined };

interface Waiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Counts the pictures of a stream. */
class FrameCount implements FrameSink {
  pictures = 0;
  bytes = 0;
  onKey: () => void = () => undefined;

  onFrame({ isAudio, key, byteLength }: Parameters<FrameSink["onFrame"]>[0]): void {
    this.bytes += byteLength;
    if (isAudio) return;
    this.pictures += 1;
    if (key) this.onKey();
  }
}

/** Resolves with why there is none; undefined when the first key frame has come. */
function firstPicture(
  stream: LiveStream,
  count: FrameCount,
  { clock, signal }: Waiting,
): Promise<StreamTrial | undefined> {
  return new Promise((resolve) => {
    const end = (trial?: StreamTrial): void => {
      timer.clear();
      states.close();
      count.onKey = () => undefined;
      signal.removeEventListener("abort", onAbort);
      resolve(trial);
    };
    const onAbort = (): void => end({ result: "Failed", reason: "it was cancelled" });
    const late = (): void => end({ result: "Unreachable", reason: "the camera sends no pictures" });
    const timer = setTimeLimit(clock, late, TRIAL_MS_MAX);
    const states = stream.onState((state) => {
      if (state.state === "lost")
        end({ result: RESULT_OF_FAILURE[state.cause ?? "unreachable"], reason: state.reason });
    });
    count.onKey = () => end();
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

async function measure(
  stream: LiveStream,
  count: FrameCount,
  { clock, signal }: Waiting,
): Promise<TriedStream> {
  const { pictures, bytes } = count;
  const beganUs = clock.monotonicUs();
  await pauseUnlessAborted(clock, TRIAL_MEASURED_MS, signal);
  const seconds = Math.max((clock.monotonicUs() - beganUs) / US_PER_SECOND, 1 / MS_PER_SECOND);
  const { videoFormat, sound } = stream;
  return {
    codec: videoFormat === undefined ? "" : codecName(videoFormat.codec),
    width: videoFormat?.width ?? 0,
    height: videoFormat?.height ?? 0,
    framesPerSecond: Math.round((count.pictures - pictures) / seconds),
    kbitPerSecond: Math.round(((count.bytes - bytes) * BITS_PER_BYTE) / seconds / KBIT),
    hasSound: sound === "on",
  };
}
