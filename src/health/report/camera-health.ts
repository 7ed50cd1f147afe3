import { type Guid, STREAM_TYPES, type StreamType, US_PER_SECOND } from "../../base/index.js";
import type { LostCause } from "../../contract/answer/index.js";
import {
  codecName,
  keyWaitText,
  type LiveStream,
  type ReportedLoss,
  type StreamDirectory,
  type StreamState,
} from "../../live/index.js";
import type { Camera } from "../../site/index.js";

/** The state of a camera's stream. */
export interface StreamHealth {
  readonly streamType: StreamType;
  readonly state: StreamState["state"];
  readonly cause: LostCause | null;
  /** In words for an installer; null while nothing is wrong. */
  readonly reason: string | null;
  /** As the camera sends it; null before the first frame. */
  readonly codec: string | null;
  readonly width: number | null;
  readonly height: number | null;
  /** Since the stream was made, pictures and sound together. */
  readonly frames: number;
  readonly bytes: number;
  readonly pictures: number;
  readonly damagedFrames: number;
  /** What of it cannot be recorded now, by reason. */
  readonly losses: readonly ReportedLoss[];
  /** How far apart the camera's key frames are; null while that is not known, or nobody waits for one. */
  readonly keyIntervalSeconds: number | null;
  /** How often the camera began to send. */
  readonly connects: number;
  /** Viewers of the stream as it comes, transcodes among them. */
  readonly viewers: number;
  /** Video frames that were not recorded since the start: dropped, and left out to thin. */
  readonly framesDropped: number;
  readonly framesThinned: number;
}

/** The state of a camera and its recording. */
export interface CameraHealth {
  readonly id: Guid;
  readonly name: string;
  readonly isDisabled: boolean;
  /** The stream that is recorded sends; of one that is not recorded now, any of its streams. */
  readonly isConnected: boolean;
  /** It is to be recorded now, by its mode, schedule, motion or user. */
  readonly mustRecord: boolean;
  readonly isRecording: boolean;
  readonly streams: readonly StreamHealth[];
}

/** What is lost of each stream on its way to the disk (archive's StreamCounters). */
export interface StreamLossCounters {
  readonly key: { readonly channelId: Guid; readonly streamType: StreamType };
  readonly framesThinned: number;
  readonly framesDropped: number;
}

/** What the recorder says of a channel. */
export interface RecordingWord {
  /** Undefined: it is not to be recorded now. */
  readonly reason: object | undefined;
  readonly isRecording: boolean;
  readonly isConnected: boolean;
}

export interface CameraHealthSources {
  readonly streams: StreamDirectory;
  readonly recording: { state(channelId: Guid): RecordingWord };
  readonly losses: readonly StreamLossCounters[];
}

/** The state of each camera. */
export function camerasHealth(
  cameras: readonly Camera[],
  sources: CameraHealthSources,
): readonly CameraHealth[] {
  const losses = new Map(
    sources.losses.map((loss) => [`${loss.key.channelId} ${loss.key.streamType}`, loss]),
  );
  return cameras.map(({ id, name, disabled }) => {
    const word = sources.recording.state(id);
    const streams = STREAM_TYPES.flatMap((type) => {
      const stream = disabled ? undefined : sources.streams.stream(id, type);
      return stream === undefined ? [] : [streamHealth(stream, losses.get(`${id} ${type}`))];
    });
    return {
      id,
      name,
      isDisabled: disabled,
      isConnected: word.isConnected || streams.some(({ state }) => state === "active"),
      mustRecord: word.reason !== undefined,
      isRecording: word.isRecording,
      streams,
    };
  });
}

function streamHealth(stream: LiveStream, loss: StreamLossCounters | undefined): StreamHealth {
  const { state, videoFormat, counts, atOnce, key, losses } = stream;
  const { frames, pictures, bytes, damagedFrames, connects } = counts;
  return {
    streamType: key.streamType,
    state: state.state,
    cause: state.state === "lost" ? (state.cause ?? null) : null,
    reason: reasonOf(state),
    codec: videoFormat === undefined ? null : codecName(videoFormat.codec),
    width: knownOr(videoFormat?.width),
    height: knownOr(videoFormat?.height),
    ...{ frames, pictures, bytes, damagedFrames, connects },
    losses: state.state === "active" || state.state === "waiting" ? losses.reported : [],
    keyIntervalSeconds:
      state.state === "waiting" && state.keyIntervalUs !== undefined
        ? Math.round(state.keyIntervalUs / US_PER_SECOND)
        : null,
    viewers: atOnce,
    framesDropped: loss?.framesDropped ?? 0,
    framesThinned: loss?.framesThinned ?? 0,
  };
}

function reasonOf(state: StreamState): string | null {
  if (state.state === "waiting") return keyWaitText(state.keyIntervalUs, "en");
  return state.state === "lost" ? state.reason : null;
}

/** 0 means not known yet. */
function knownOr(pixels: number | undefined): number | null {
  return pixels === undefined || pixels === 0 ? null : pixels;
}
