import type { ArchiveKey } from "../../archive/index.js";
import { NvrdError, type StreamKey } from "../../base/index.js";
import { type Query, shown } from "../../http/index.js";
import { archiveStreamType, type Camera } from "../../site/index.js";
import { archiveKey, readStreamType } from "./channel-selection.js";
import { readDecimal } from "./decimal.js";

const SPEED_MIN = 0.1;
const SPEED_MAX = 20;

/** The start and the speed of a playback. */
export interface PlaybackRequest {
  readonly of: ArchiveKey;
  /** Unix microseconds. */
  readonly startUs: number;
  /** 0.1 to 20. */
  readonly speed: number;
}

/** The parameters shared by /video and /mobile. */
export interface VideoRequest {
  readonly key: StreamKey;
  readonly sound: boolean;
  /** Undefined: live. Otherwise `key` is the stream that is named, or the one that is recorded now. */
  readonly playback: PlaybackRequest | undefined;
}

export interface VideoRequestOptions {
  /** Where a recording is played from when no starttime was sent; it must be sent when absent. */
  readonly startOf?: (of: ArchiveKey) => number;
}

/** Reads sound, streamtype, mode, starttime and speed. Throws NvrdError BAD_REQUEST or BAD_TIME. */
export function readVideoRequest(
  query: Query,
  camera: Camera,
  { startOf }: VideoRequestOptions = {},
): VideoRequest {
  const mode = query.oneOf("mode", ["realtime", "archive"], "realtime");
  const sound = query.flag("sound");
  const streamType = readStreamType(query);
  const startUs = query.time("starttime");
  const speedText = query.getFilled("speed");
  if (mode === "realtime") {
    if (startUs !== undefined) throw new NvrdError("BAD_REQUEST", "starttime needs mode=archive");
    // Some programs send speed=1 in both modes, which is correct for live.
    if (speedText !== undefined && readSpeed(speedText) !== 1)
      throw new NvrdError("BAD_REQUEST", "speed needs mode=archive");
    return { key: { channelId: camera.id, streamType: streamType ?? "Main" }, sound, playback: undefined };
  }
  const of = archiveKey(query, camera);
  const fromUs = startUs ?? startOf?.(of);
  if (fromUs === undefined) throw new NvrdError("BAD_REQUEST", "mode=archive needs starttime");
  const key = { channelId: camera.id, streamType: streamType ?? archiveStreamType(camera) };
  return { key, sound, playback: { of, startUs: fromUs, speed: readSpeed(speedText) } };
}

function readSpeed(text: string | undefined): number {
  if (text === undefined) return 1;
  const speed = readDecimal(text);
  if (!(speed >= SPEED_MIN && speed <= SPEED_MAX)) {
    throw new NvrdError(
      "BAD_REQUEST",
      `speed is "${shown(text)}": use a number from ${SPEED_MIN} to ${SPEED_MAX}`,
    );
  }
  return speed;
}
