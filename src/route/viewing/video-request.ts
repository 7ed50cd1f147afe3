import type { ArchiveKey } from "../../archive/index.js";
import { NvrdError, type StreamKey } from "../../base/index.js";
import { playingParameters } from "../../contract/query/index.js";
import type { Query } from "../../http/index.js";
import { archiveStreamType, type Camera } from "../../site/index.js";
import { readQuery } from "../endpoint/query-parameters.js";
import { archiveKey, streamTypeNamed } from "./channel-selection.js";

/** The start and the speed of a playback. */
export interface PlaybackRequest {
  readonly of: ArchiveKey;
  /** Unix microseconds. */
  readonly startUs: number;
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
  const { mode, sound, streamtype, starttime, speed } = readQuery(query, playingParameters);
  const streamType = streamTypeNamed(streamtype);
  if (mode === "realtime") {
    if (starttime !== undefined) throw new NvrdError("BAD_REQUEST", "starttime needs mode=archive");
    // Some programs send speed=1 in both modes, which is correct for live.
    if (speed !== 1) throw new NvrdError("BAD_REQUEST", "speed needs mode=archive");
    return { key: { channelId: camera.id, streamType: streamType ?? "Main" }, sound, playback: undefined };
  }
  const of = archiveKey(query, camera);
  const startUs = starttime ?? startOf?.(of);
  if (startUs === undefined) throw new NvrdError("BAD_REQUEST", "mode=archive needs starttime");
  const key = { channelId: camera.id, streamType: streamType ?? archiveStreamType(camera) };
  return { key, sound, playback: { of, startUs, speed } };
}
