import type { ArchiveAccess } from "../../archive/index.js";
import { type Clock, NvrdError, type StreamType } from "../../base/index.js";
import { mobileQuery } from "../../contract/query/index.js";
import type { ViewerKind } from "../../health/index.js";
import type { Headers, StreamResponse } from "../../http/index.js";
import type { LiveStream, StreamDirectory } from "../../live/index.js";
import {
  specKey,
  type TranscodedPicture,
  type TranscodeSpec,
  type Transcoding,
} from "../../picture/index.js";
import {
  isStillThere,
  LiveMobile,
  MobilePlayback,
  nearestRecordedUs,
  nothingRecordedOf,
  oneLiveFrame,
  requireKnown,
  rotationOf,
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
  type RouteRight,
  recordedHeaders,
  SOUND_HEADER,
  STREAM_ACCESS,
  STREAM_RULES,
  STREAMED,
  selectChannel,
} from "../../route/index.js";
import type { Camera, SiteStore } from "../../site/index.js";
import { type MobileRequest, mobileSpec, readMobileRequest, refusedMobileRight } from "./mobile-request.js";
import { answerOneFrame } from "./one-frame-answer.js";

/** What the routes of this topic work with. */
export interface MobileNeeds {
  readonly site: SiteStore;
  readonly archive: ArchiveAccess;
  readonly streams: StreamDirectory;
  readonly transcoding: Transcoding;
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
}

const RIGHTS: readonly RouteRight[] = [
  { right: "CanGetTranscodedVideoFromMobileServer" },
  { right: "CanReceiveSound", when: "`sound=on`" },
];

export const MOBILE_ROUTE: Route<MobileNeeds> = {
  method: "GET",
  path: "/mobile",
  login: "user",
  rights: RIGHTS,

  describe: {
    topic: "mobile",
    summary:
      "Streams a channel's pictures and sound, transcoded for mobile programs and browsers, live or recorded",
    access: STREAM_ACCESS,
    text: [
      "**The level.** Of the enabled levels ([`/configure/mobile`](#get-configuremobile)) the closest one is used: by the ratio of each side to the requested size, and by the ratio by which its `FpsLimit` is below `fps`. Of equally close levels the one with the closer limit is used, then the lower one. The picture is fitted into the level's size: it keeps its aspect ratio and is never larger than its source. `fps` is limited by the level's `FpsLimit` and by the one for all levels. The stream's `RotationMode` is applied.",
      "",
      "**Parts** are those of [`/video`](#get-video). Pictures are `image/jpeg`, or at a level with `UsePFrames`, where the platform has an encoder, `video, h264, I-frame` and `video, h264, P-frame` (Annex B, parameter sets with each I-frame). A JPEG is JFIF without EXIF and has at most 60 000 bytes at 640x480, 180 000 at 1280x720, and others in proportion to their pixels (at least 16 000).",
      "",
      "**Sound** is `audio, PCMU` and `audio, PCMA` (G.711), `audio, PCM` (16 bits, little endian), each mono at 8000 samples a second, or `audio, AAC` (mono, ADTS frames, which name their rate).",
      "",
      SOUND_HEADER,
      "",
      "**Live.** The newest picture comes at once. A slow client loses pictures, and no other client does.",
      "",
      "**Recorded.** It begins with the picture at `starttime`. Gaps are skipped. Pictures for which the recorder or the client is too late are dropped.",
      "",
      "A stream also ends when the configuration of its level changes: repeat the request.",
    ],
    parameters: describeQuery(mobileQuery),
    together: STREAM_RULES,
    answer: {
      text: "A stream of parts, `multipart/x-mixed-replace; boundary=myboundary`, or one picture.",
      content: {
        "multipart/x-mixed-replace": { type: "string", format: "binary" },
        "image/jpeg": { type: "string", format: "binary" },
      },
    },
    errors: {
      403: "A right is missing, or the mobile server or all its levels are switched off.",
      404: "There is no such channel or stream, or nothing is recorded of it.",
      501: "The recorder's codec is not installed.",
      503: "The camera sends nothing, or too much is being transcoded (`Retry-After`).",
    },
    example: [
      'curl -fsSN -u "$AUTH" "$NVRD/mobile?channelnum=0&resolutionX=640&resolutionY=480&fps=25" --max-time 2 --output mobile.multipart',
      'curl -fsSN -u "$AUTH" "$NVRD/mobile?channelid=$CHANNEL&mode=archive&starttime=$FROM&speed=4" --max-time 2 --output mobile.multipart',
      'curl -fu "$AUTH" "$NVRD/mobile?channelnum=0&oneframeonly=true&withcontenttype=true" --output picture.jpeg',
    ],
  },
  /** GET /mobile: a channel's pictures and sound, transcoded, live or from the archive. */
  async endpoint(context) {
    const { needs, principal } = context;
    const site = needs.site.current;
    const camera = selectChannel(context.request.query, needs, principal);
    const request = readMobileRequest(context.request.query, camera);
    const refusal = refusedMobileRight(principal, request);
    if (refusal !== undefined) throw new NvrdError("FORBIDDEN", `${refusal} channel ${camera.name}`);
    const task = { context, camera, request, spec: mobileSpec(site, camera, request) };
    return request.playback === undefined ? watchLive(task) : playArchive(task, request.playback);
  },
};

/** The request with its camera and transcode settings. */
interface MobileTask {
  readonly context: RequestContext<MobileNeeds>;
  readonly camera: Camera;
  readonly request: MobileRequest;
  readonly spec: TranscodeSpec;
}

async function watchLive(task: MobileTask): Promise<EndpointResult> {
  const { context, request, spec } = task;
  const { clock, streams, transcoding } = context.needs;
  const { channelId, streamType } = request.key;
  const stream = streams.stream(channelId, streamType);
  if (stream === undefined) throw noLiveStream(streams, streamType);
  if (context.request.method === "HEAD") return answerHead(request);
  const holds = (): boolean => streams.stream(channelId, streamType) === stream;
  if (request.oneFrameOnly) return oneFrame(task, stream, holds);
  const sound = request.soundForm;
  const { log } = context;
  const viewer = new LiveMobile({
    transcoding,
    stream,
    spec,
    sound,
    open: opener(context, () => liveHeaders(stream, sound !== undefined)),
    clock,
    log,
  });
  keepWatch(task, () => viewer.stop(), holds);
  await viewer.start();
  return streamed(context);
}

async function oneFrame(task: MobileTask, stream: LiveStream, holds: () => boolean): Promise<EndpointResult> {
  const { context, request, spec } = task;
  const { clock, transcoding } = context.needs;
  let forget: () => void = () => undefined;
  const onCancel = (cancel: () => void): void => {
    forget = keepWatch(task, cancel, holds);
  };
  try {
    const picture = await oneLiveFrame({ transcoding, stream, spec, onCancel, clock });
    return answerPicture(context, request, picture);
  } finally {
    forget();
  }
}

async function playArchive(task: MobileTask, playback: PlaybackRequest): Promise<EndpointResult> {
  const { context, request, spec } = task;
  const { needs, log } = context;
  const { archive, clock, transcoding } = needs;
  const { key } = request;
  const { of, speed } = playback;
  requireKnown(archive, of, playback.startUs);
  const startUs = nearestRecordedUs(archive, of, playback.startUs);
  if (startUs === undefined) throw nothingRecordedOf(of);
  if (context.request.method === "HEAD") return answerHead(request);
  const sound = request.oneFrameOnly ? undefined : request.soundForm;
  const pictures = transcoding.openPlayback(spec, speed);
  let viewer: MobilePlayback | undefined;
  let forget: () => void = () => undefined;
  try {
    const reader = archive.read(of, { fromUs: startUs, videoOnly: sound === undefined });
    const begins = { of, atUs: startUs, isWanted: sound !== undefined };
    const open = opener(context, () => recordedHeaders(archive, begins));
    const turned = (streamType: StreamType) => rotationOf(task.camera, streamType);
    const played = { reader, pictures, startUs, speed, sound, rotationOf: turned };
    viewer = new MobilePlayback({ ...played, open, clock, log });
    const stop = viewer.stop.bind(viewer);
    forget = keepWatch(task, stop, () => isStillThere(needs, key.channelId));
    if (request.oneFrameOnly) return answerPicture(context, request, await viewer.startOne());
    await viewer.start();
    return streamed(context);
  } catch (error) {
    viewer?.stop();
    pictures.close();
    throw error;
  } finally {
    if (request.oneFrameOnly) forget();
  }
}

function opener(
  context: RequestContext<MobileNeeds>,
  headers: () => Headers,
): () => StreamResponse | undefined {
  const { response, needs, log } = context;
  return () => response.startStream(headers(), { clock: needs.clock, log });
}

/**
 * Ends a viewer when the client's connection ends, or its rights or the configuration of its level change. Returns a function
 * that stops watching.
 */
function keepWatch(task: MobileTask, end: () => void, sourceHolds: () => boolean): () => void {
  const { context, request } = task;
  const { needs, response, credentials } = context;
  const forget = needs.openStreams.add({
    credentials,
    viewer: viewerOf(request),
    mayContinue: (principal) =>
      principal.maySee(request.key.channelId) &&
      refusedMobileRight(principal, request) === undefined &&
      sourceHolds() &&
      isSameSpec(needs.site.current, task),
    end,
  });
  response.onClose(() => {
    forget();
    end();
  });
  return forget;
}

/** Requests for single pictures do not count as viewers. */
function viewerOf({ oneFrameOnly, playback }: MobileRequest): ViewerKind | undefined {
  return oneFrameOnly ? undefined : { over: "mobile", source: playback === undefined ? "live" : "recorded" };
}

/** Whether the configuration still gives the same level for the request; otherwise the client must repeat it. */
function isSameSpec(
  site: RequestContext<MobileNeeds>["needs"]["site"]["current"],
  { camera: asked, request, spec }: MobileTask,
): boolean {
  if (!site.mobile.isEnabled) return false;
  // A former camera stays as it is.
  const camera = site.cameras.find(({ id }) => id === asked.id) ?? asked;
  try {
    return specKey(mobileSpec(site, camera, request)) === specKey(spec);
  } catch (error) {
    if (error instanceof NvrdError) return false;
    throw error;
  }
}

function answerPicture(
  context: RequestContext<MobileNeeds>,
  request: MobileRequest,
  picture: TranscodedPicture | undefined,
): EndpointResult {
  if (picture !== undefined) return answerOneFrame(picture, request.withContentType);
  return streamed(context);
}

/** A viewer that ended before its answer began gets an error. */
function streamed(context: RequestContext<MobileNeeds>): EndpointResult {
  if (!context.response.open) return STREAMED;
  throw new NvrdError("NOT_AVAILABLE", "the configuration changed before the first picture");
}

function answerHead({ oneFrameOnly, withContentType }: MobileRequest): EndpointResult {
  const bare = oneFrameOnly && withContentType;
  const headers = bare ? [["Content-Type", "image/jpeg"] as const] : MULTIPART_HEADERS;
  return { status: 200, headers, body: new Uint8Array(0) };
}
