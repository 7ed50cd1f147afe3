import type { ArchiveAccess, ArchivedFrame } from "../../archive/index.js";
import { type Clock, NvrdError } from "../../base/index.js";
import { videoQuery } from "../../contract/query/index.js";
import type { StreamResponse } from "../../http/index.js";
import type { StreamDirectory } from "../../live/index.js";
import {
  ArchiveVideo,
  isStillThere,
  type LiveSounds,
  LiveVideo,
  nearestRecordedUs,
  nothingRecordedOf,
  refusedViewing,
  requireKnown,
  type SoundCodec,
} from "../../player/index.js";
import {
  describeQuery,
  type EndpointResult,
  liveHeaders,
  MULTIPART_HEADERS,
  noLiveStream,
  type OpenStreams,
  type PlaybackRequest,
  type RequestContext,
  type Route,
  readVideoRequest,
  receivable,
  recordedHeaders,
  requireVideoRights,
  SOUND_HEADER,
  STREAM_ACCESS,
  STREAM_RULES,
  STREAMED,
  selectChannel,
  VIEWING_RIGHTS,
  type VideoRequest,
  viewingOf,
} from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface VideoNeeds {
  readonly site: SiteStore;
  readonly archive: ArchiveAccess;
  readonly streams: StreamDirectory;
  /** Converts sound. */
  readonly soundCodec: SoundCodec;
  /** The converted sound of live streams. */
  readonly liveSounds: LiveSounds;
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
}

export const VIDEO_ROUTE: Route<VideoNeeds> = {
  method: "GET",
  path: "/video",
  login: "user",
  rights: VIEWING_RIGHTS,

  describe: {
    topic: "video",
    summary: "Streams a channel's frames as the camera sent them, live or recorded, without end",
    access: STREAM_ACCESS,
    parameters: describeQuery(videoQuery),
    together: STREAM_RULES,
    answer: {
      text: "A stream of parts, `multipart/x-mixed-replace; boundary=myboundary`.",
      content: { "multipart/x-mixed-replace": { type: "string", format: "binary" } },
    },
    errors: {
      404: "There is no such channel or stream, or nothing is recorded of it.",
      503: "The camera sends nothing (after 4.5 s when it does not answer, after 10 s when it does), the index of recordings is not open yet (`Retry-After`), or there are too many streams (512).",
    },
    text: [
      "Each part:",
      "",
      "```text",
      "--myboundary",
      "Content-Type: video, h264, I-frame",
      "Timestamp: 21.11.2026 09:00:00.040",
      "Content-Length: 48213",
      "",
      "…the frame…",
      "--myboundary",
      "```",
      "",
      "- `Content-Type` is `image/jpeg`, `video, mpeg4, I-frame`, `video, mpeg4, P-frame`, the same with `h264` and `h265`, or `audio, PCMU`.",
      "- H.264 and H.265 come as Annex B, a key frame with its parameter sets.",
      "- `Timestamp` is the presentation time of the picture, UTC.",
      "- The boundary line after a frame is sent together with that frame.",
      "- A key frame that was damaged or lost is left out, with all frames up to the next complete one. Other damaged frames come without the NAL units that were lost.",
      `- ${SOUND_HEADER}`,
      "",
      "**Live.** The answer begins with the current group of pictures, at a complete key frame. A stream that is not recorded is connected while it has viewers; status and headers are sent with the first frame. After 60 s without a frame the stream ends. A client that is more than 5 s or 4 MiB behind loses frames up to the next key frame. A client that reads nothing for 20 s is disconnected.",
      "",
      "**Archive.** The frames from the key frame before `starttime` up to `starttime` are sent at once. Those after it are paced by their times and `speed`. Gaps are skipped without waiting. At the live edge the answer stays open and continues as frames are recorded. Nothing is dropped: the server waits for a slow client.",
    ],
    example: [
      'curl -fsSN -u "$AUTH" "$NVRD/video?channelnum=0" --max-time 2 --output live.multipart',
      'curl -fsSN -u "$AUTH" "$NVRD/video?channelid=$CHANNEL&mode=archive&starttime=$FROM&speed=4" --max-time 2 --output archive.multipart',
    ],
  },
  /** GET /video: a channel's frames as the camera sent them, live or from the archive. */
  async endpoint(context) {
    const { needs, request, principal } = context;
    const camera = selectChannel(request.query, needs, principal);
    const video = receivable(readVideoRequest(request.query, camera), principal);
    requireVideoRights(principal, camera, video);
    return video.playback === undefined
      ? watchLive(context, video)
      : playArchive(context, video, video.playback);
  },
};

async function watchLive(context: RequestContext<VideoNeeds>, video: VideoRequest): Promise<EndpointResult> {
  const { needs, response, log } = context;
  const stream = needs.streams.stream(video.key.channelId, video.key.streamType);
  if (stream === undefined) throw noLiveStream(needs.streams, video.key.streamType);
  if (context.request.method === "HEAD") return answerHead();
  const { clock } = needs;
  const open = (): StreamResponse | undefined =>
    response.startStream(liveHeaders(stream, video.sound), { clock, log });
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
  const { of, speed } = playback;
  requireKnown(needs.archive, of, playback.startUs);
  const startUs = nearestRecordedUs(needs.archive, of, playback.startUs);
  if (startUs === undefined) throw nothingRecordedOf(of);
  const { clock } = needs;
  if (context.request.method === "HEAD") return answerHead();
  const reader = needs.archive.read(of, { fromUs: startUs, videoOnly: !sound });
  const open = (first: ArchivedFrame | undefined): StreamResponse | undefined => {
    const { streamType = key.streamType, decodeTimeUs = startUs } = first ?? {};
    const begins = { of: { ...key, streamType }, atUs: Math.max(startUs, decodeTimeUs), isWanted: sound };
    return response.startStream(recordedHeaders(needs.archive, begins), { clock, log });
  };
  const { soundCodec: codec } = needs;
  const viewer = new ArchiveVideo({ reader, startUs, speed, sound, codec, open, clock, log });
  const exists = (): boolean => isStillThere(needs, key.channelId);
  try {
    keepWatch(context, video, viewer, exists);
  } catch (error) {
    viewer.stop();
    throw error;
  }
  await viewer.start();
  return streamed(context);
}

/** Ends the viewer when the client's connection ends or its rights change. */
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

/** A viewer that ended before its answer began gets an error. */
function streamed(context: RequestContext<VideoNeeds>): EndpointResult {
  if (!context.response.open) return STREAMED;
  throw new NvrdError("NOT_AVAILABLE", "the configuration changed before the first frame");
}

function answerHead(): EndpointResult {
  return { status: 200, headers: MULTIPART_HEADERS, body: new Uint8Array(0) };
}
