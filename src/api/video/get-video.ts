import { NvrdError } from "../../base/index.js";
import { MULTIPART_HEADERS, type StreamResponse } from "../../http/index.js";
import {
  type EndpointResult,
  type PlaybackRequest,
  type RequestContext,
  readVideoRequest,
  refusedViewing,
  requireKnown,
  requireVideoRights,
  STREAMED,
  selectChannel,
  type VideoRequest,
  viewingOf,
} from "../route/index.js";
import { ArchiveVideo, FIRST_ARCHIVE_FRAME_TIMEOUT_MS, RECORDED_HINT } from "./archive-video.js";
import { LiveVideo } from "./live-video.js";
import type { VideoNeeds } from "./needs.js";

/** GET /video: a channel's frames as the camera sent them, live or from the archive. */
export async function getVideo(context: RequestContext<VideoNeeds>): Promise<EndpointResult> {
  const { needs, request, principal } = context;
  const camera = selectChannel(request.query, needs.site.current, principal);
  const video = readVideoRequest(request.query, camera);
  requireVideoRights(principal, camera, video);
  return video.playback === undefined
    ? watchLive(context, video)
    : playArchive(context, video, video.playback);
}

async function watchLive(context: RequestContext<VideoNeeds>, video: VideoRequest): Promise<EndpointResult> {
  const { needs, response, log } = context;
  const stream = needs.streams.stream(video.key.channelId, video.key.streamType);
  if (stream === undefined) {
    throw new NvrdError("NOT_FOUND", `the channel is switched off or has no stream ${video.key.streamType}`, {
      hint: "see GET /configex for the channels and their streams",
    });
  }
  if (context.request.method === "HEAD") return answerHead();
  const { clock } = needs;
  const open = (): StreamResponse | undefined => response.startStream(MULTIPART_HEADERS, { clock, log });
  const { liveSounds: sounds } = needs;
  const viewer = new LiveVideo({ stream, sound: video.sound, sounds, open, clock, log });
  const isSame = (): boolean => needs.streams.stream(video.key.channelId, video.key.streamType) === stream;
  keepWatch(context, video, viewer, isSame);
  await viewer.start();
  return streamed(context);
}

async function playArchive(
  context: RequestContext<VideoNeeds>,
  video: VideoRequest,
  playback: PlaybackRequest,
): Promise<EndpointResult> {
  const { needs, response, log } = context;
  const { key, sound } = video;
  requireKnown(needs.archive, key, playback.startUs);
  if (needs.archive.nearestFrameUs(key, playback.startUs) === undefined) {
    throw new NvrdError("NOT_FOUND", `nothing is recorded of the channel's stream ${key.streamType}`, {
      hint: RECORDED_HINT,
    });
  }
  const { clock } = needs;
  if (playback.startUs > clock.nowUs() + FIRST_ARCHIVE_FRAME_TIMEOUT_MS * 1000) {
    throw new NvrdError("NOT_FOUND", "starttime lies in the future", { hint: RECORDED_HINT });
  }
  if (context.request.method === "HEAD") return answerHead();
  const reader = needs.archive.read(key, { fromUs: playback.startUs, videoOnly: !sound });
  const open = (): StreamResponse | undefined => response.startStream(MULTIPART_HEADERS, { clock, log });
  const { soundCodec: codec } = needs;
  const viewer = new ArchiveVideo({ reader, ...playback, sound, codec, open, clock, log });
  const exists = (): boolean => needs.site.current.cameras.some((camera) => camera.id === key.channelId);
  try {
    keepWatch(context, video, viewer, exists);
  } catch (error) {
    viewer.stop();
    throw error;
  }
  await viewer.start();
  return streamed(context);
}

/** Ties the viewer to the client's connection and to the rights it was opened under. */
function keepWatch(
  context: RequestContext<VideoNeeds>,
  video: VideoRequest,
  viewer: { stop(): void },
  sourceHolds: () => boolean,
): void {
  const { needs, response, credentials } = context;
  const forget = needs.openStreams.add({
    credentials,
    viewer: { over: "video", source: video.playback === undefined ? "live" : "recorded" },
    mayContinue: (principal) =>
      principal.maySee(video.key.channelId) &&
      refusedViewing(principal, viewingOf(video)) === undefined &&
      sourceHolds(),
    end: () => viewer.stop(),
  });
  response.onClose(() => {
    forget();
    viewer.stop();
  });
}

/** A viewer that was ended before its answer began still owes one. */
function streamed(context: RequestContext<VideoNeeds>): EndpointResult {
  if (!context.response.open) return STREAMED;
  throw new NvrdError("NOT_AVAILABLE", "the configuration changed before the first frame came");
}

function answerHead(): EndpointResult {
  return { status: 200, headers: MULTIPART_HEADERS, body: new Uint8Array(0) };
}
