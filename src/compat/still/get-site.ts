import type { Principal } from "../../access/index.js";
import type { ArchiveAccess } from "../../archive/index.js";
import {
  type Clock,
  formatApiTimeMs,
  NvrdError,
  STREAM_TYPES,
  type StreamKey,
  type StreamType,
} from "../../base/index.js";
import { siteQuery, stillParameters } from "../../contract/query/index.js";
import type { Answer, Query, RequestContent } from "../../http/index.js";
import type { StreamDirectory } from "../../live/index.js";
import {
  keepConnected,
  type LivePicture,
  newestLiveFrame,
  type Rotation,
  type Still,
  type StillSize,
  type StillSource,
  type Stills,
} from "../../picture/index.js";
import {
  nearestRecordedUs,
  nothingRecordedOf,
  RECORDED_HINT,
  refusedViewing,
  requireIndex,
  rotationOf,
} from "../../player/index.js";
import {
  answerPicture,
  describeQuery,
  type EndpointResult,
  type KeptContext,
  NO_PICTURE_TEXT,
  noLiveStream,
  ONE_CHANNEL,
  type RequestContext,
  type Route,
  type RouteRight,
  readQuery,
  requireArchiveRight,
  START_OF_RECORDING,
  selectChannel,
  streamTypeNamed,
} from "../../route/index.js";
import type { Camera, Site, SiteStore } from "../../site/index.js";
import { archiveMaterial } from "./archive-still.js";
import { awaitedSourceKey, liveSource } from "./live-still.js";
import type { SnapshotSource } from "./snapshot-source.js";

/** What the routes of this topic work with. */
export interface StillNeeds {
  readonly site: SiteStore;
  readonly archive: ArchiveAccess;
  readonly streams: StreamDirectory;
  readonly stills: Stills;
  /** Snapshots made by cameras; none when absent. */
  readonly snapshots?: SnapshotSource;
  readonly clock: Clock;
}

const RIGHTS: readonly RouteRight[] = [
  { right: "CanReceiveMainStream", when: "the picture comes from the stream Main" },
];

export const SITE_ROUTE: Route<StillNeeds> = {
  method: "GET",
  path: "/site",
  login: "user",
  rights: RIGHTS,

  kept: keptSite,
  describe: {
    topic: "still",
    summary: "Returns one picture of a channel as JPEG, live or recorded",
    access:
      "The channel must be allowed live, or with `mode=archive` in the archive. Without `CanReceiveMainStream` the main stream is not chosen when `streamtype` is left out.",
    text: [
      "**Live.** For a connected stream the answer is sent at once. A camera that nobody watches is connected, and stays connected for 10 s after the last picture. When the camera is lost, does not answer within 4.5 s or sends no key frame within 10 s, a snapshot is requested from the camera if it offers one (at most 4 s); the snapshot is checked and encoded again. Otherwise the answer is 503 with the reason.",
      "",
      "**Archive.** The picture is exactly the frame shown at `starttime`, or the last one before it. If nothing was recorded then (in a gap, before the beginning or in the future), it is the nearest one: the last frame before or the first one after. In a group of pictures with more than 1000 frames or 32 MiB it is the last frame within that; if it cannot be decoded up to there, it is the key frame.",
      "",
      "- The header `Timestamp` is the time when the picture was shown (UTC, as in the parts of [`/video`](#get-video)). `ETag` changes with the picture.",
      "- The stream's `RotationMode` is applied.",
      "- The parameter `withcontenttype` is ignored: `Content-Type` is always sent.",
      "- Pictures are cached in memory (setting `stillCacheBytes`).",
    ],
    parameters: describeQuery(siteQuery),
    together: [ONE_CHANNEL, START_OF_RECORDING],
    answer: { text: "The JPEG (JFIF).", content: { "image/jpeg": { type: "string", format: "binary" } } },
    errors: {
      204: NO_PICTURE_TEXT,
      404: "There is no such channel or stream, or nothing is recorded of it.",
      503: "The camera sends nothing, a frame cannot be decoded, the index of recordings is not open yet, or too many pictures wait to be made (160) or to be sent by cameras (64). `Retry-After` comes with the last two.",
    },
    example: [
      'curl -fu "$AUTH" "$NVRD/site?channelnum=0&resolutionx=320" --output now.jpg',
      'curl -fu "$AUTH" "$NVRD/site?channelid=$CHANNEL&mode=archive&starttime=$FROM" --output then.jpg',
    ],
  },
  /** GET /site: one picture of a channel, live or from the archive. */
  endpoint(context) {
    const { needs, request, response, principal } = context;
    const plan = readPlan(needs, request.query, principal);
    PLANS.set(request.content, plan);
    const still = keptStill(needs, plan);
    if (still !== undefined) return answerStill(still);
    const { startUs, isOptional } = plan.asked;
    if (startUs === undefined) return answerPicture(response, false, () => liveStill(context, plan));
    return answerPicture(response, isOptional, () => archivedStill(context, plan, startUs));
  },
};

/** The default size of a still. */
const DEFAULT_SIZE: StillSize = { width: 64, height: 36 };
/** Maximum side of a picture; larger requests are reduced to it. */
const SIDE_MAX = 16_384;

/** "The last available stream": the order in which streams are chosen by default. */
const LAST_STREAM_FIRST: readonly StreamType[] = [...STREAM_TYPES].reverse();

interface SiteRequest {
  readonly camera: Camera;
  readonly size: StillSize;
  /** The stream that was named. */
  readonly streamType: StreamType | undefined;
  readonly exact: boolean;
  /** Where nothing is recorded, that is no error. */
  readonly isOptional: boolean;
  /** Unix microseconds; undefined: live. */
  readonly startUs: number | undefined;
}

/** The answer to a repeated request if its picture is cached; the configuration is unchanged. */
function keptSite({ needs, content, principal }: KeptContext<StillNeeds>): Answer | undefined {
  const plan = PLANS.get(content);
  if (plan?.principal !== principal || plan.site !== needs.site.current) return undefined;
  const still = keptStill(needs, plan);
  return still === undefined ? undefined : answerStill(still);
}

/** The meaning of a request for a user in one revision of the configuration. */
interface SitePlan {
  readonly site: Site;
  readonly principal: Principal;
  readonly asked: SiteRequest;
  /** The streams that may be shown, the preferred one first. */
  readonly streams: readonly ShownStream[];
  /** Identifies the time, these streams and this revision, because rights and rotation may change with it. */
  readonly archiveKey: string;
}

interface ShownStream {
  readonly streamType: StreamType;
  readonly rotation: Rotation;
}

const PLANS = new WeakMap<RequestContent, SitePlan>();

function readPlan(needs: StillNeeds, query: Query, principal: Principal): SitePlan {
  const { current } = needs.site;
  const camera = selectChannel(query, needs, principal);
  const asked = readSiteRequest(query, camera);
  const archived = asked.startUs !== undefined;
  if (archived) requireArchiveRight(principal, camera);
  const types = streamTypes(principal, asked, { archived });
  const streams = types.map((streamType) => ({ streamType, rotation: rotationOf(camera, streamType) }));
  const archiveKey = `archive ${camera.id}/${types.join()} ${asked.startUs} ${current.revision}`;
  return { site: current, principal, asked, streams, archiveKey };
}

/** The cached picture for the request, if any. */
function keptStill(needs: StillNeeds, plan: SitePlan): Still | undefined {
  const { stills } = needs;
  const { size, startUs } = plan.asked;
  if (startUs !== undefined) return stills.ofSource(plan.archiveKey, size);
  const [picture] = livePictures(needs, plan);
  if (picture === undefined) return undefined;
  const frame = newestLiveFrame(picture);
  if (frame === undefined) return stills.ofSource(awaitedSourceKey(picture), size);
  keepConnected(picture.stream);
  return stills.ofFrame(frame, size);
}

/**
 * The streams that the camera is set to have, the one to show first: whoever watches, it is the same. Only while that is
 * lost, one that sends comes before it.
 */
function livePictures(needs: StillNeeds, plan: SitePlan): LivePicture[] {
  const pictures = plan.streams
    .map((shownStream) => livePicture(needs, plan, shownStream))
    .filter((picture) => picture !== undefined);
  const [first] = pictures;
  if (first?.stream.state.state !== "lost") return pictures;
  const sending = pictures.find((picture) => newestLiveFrame(picture) !== undefined);
  return sending === undefined ? pictures : [sending, ...pictures.filter((picture) => picture !== sending)];
}

function readSiteRequest(query: Query, camera: Camera): SiteRequest {
  const {
    mode,
    starttime: startUs,
    exact,
    optional: isOptional,
    ...asked
  } = readQuery(query, stillParameters);
  if (mode === "realtime" && startUs !== undefined)
    throw new NvrdError("BAD_REQUEST", "starttime needs mode=archive");
  if (mode === "archive" && startUs === undefined)
    throw new NvrdError("BAD_REQUEST", "mode=archive needs starttime");
  const { streamtype, resolutionx, resolutiony } = asked;
  const size = sizeOf(resolutionx, resolutiony);
  return { camera, size, streamType: streamTypeNamed(streamtype), exact, isOptional, startUs };
}

function sizeOf(width: number | undefined, height: number | undefined): StillSize {
  if (width === undefined && height === undefined) return DEFAULT_SIZE;
  return {
    ...(width === undefined ? {} : { width: Math.min(width, SIDE_MAX) }),
    ...(height === undefined ? {} : { height: Math.min(height, SIDE_MAX) }),
  };
}

async function liveStill(context: RequestContext<StillNeeds>, plan: SitePlan): Promise<EndpointResult> {
  const { needs } = context;
  const { snapshots, clock } = needs;
  const { size } = plan.asked;
  const pictures = livePictures(needs, plan);
  const [first, ...others] = pictures;
  if (first === undefined) throw noStream(context, plan.asked);
  return await make(context, liveSource([first, ...others], { snapshots, clock }), size);
}

function livePicture(
  { streams }: StillNeeds,
  { asked: { camera, exact } }: SitePlan,
  { streamType, rotation }: ShownStream,
): LivePicture | undefined {
  const stream = streams.stream(camera.id, streamType);
  return stream === undefined ? undefined : { stream, rotation, exact };
}

function noStream(
  { needs, principal }: RequestContext<StillNeeds>,
  { camera, streamType }: SiteRequest,
): NvrdError {
  const isMainThere = needs.streams.stream(camera.id, "Main") !== undefined;
  if (streamType === undefined && isMainThere) return refusedMain(principal, camera, { archived: false });
  return noLiveStream(needs.streams, streamType);
}

async function archivedStill(
  context: RequestContext<StillNeeds>,
  plan: SitePlan,
  startUs: number,
): Promise<EndpointResult> {
  const { needs } = context;
  const { camera, size } = plan.asked;
  const types = plan.streams.map(({ streamType }) => streamType);
  const stream = recordedStream(context, camera, { types, startUs });
  const picture = {
    archive: needs.archive,
    key: stream,
    rotation: rotationOf(camera, stream.streamType),
    atUs: startUs,
  };
  return await make(
    context,
    { key: plan.archiveKey, open: (signal) => archiveMaterial(picture, signal) },
    size,
  );
}

/** The first of the streams with a recording at that time, otherwise the one with the nearest recording. */
function recordedStream(
  { needs: { archive }, principal }: RequestContext<StillNeeds>,
  camera: Camera,
  { types, startUs }: { readonly types: readonly StreamType[]; readonly startUs: number },
): StreamKey {
  const keys = types.map((streamType) => ({ channelId: camera.id, streamType }));
  const holder = keys.find((key) => archive.hasArchiveAt(key, startUs));
  if (holder !== undefined) return holder;
  requireIndex(archive, startUs);
  let nearest: StreamKey | undefined;
  let nearestUs = Number.POSITIVE_INFINITY;
  for (const key of keys) {
    const recordedUs = nearestRecordedUs(archive, key, startUs);
    if (recordedUs === undefined || Math.abs(recordedUs - startUs) >= nearestUs) continue;
    nearest = key;
    nearestUs = Math.abs(recordedUs - startUs);
  }
  if (nearest !== undefined) return nearest;
  const main: StreamKey = { channelId: camera.id, streamType: "Main" };
  const isOnlyMain = keys.length > 1 && archive.nearestFrameUs(main, startUs) !== undefined;
  if (isOnlyMain) throw refusedMain(principal, camera, { archived: true });
  // Where no stream was named, the error names none: a camera may not even have the first one of the order.
  throw keys.length === 1 ? nothingRecordedOf(keys[0] ?? main) : nothingRecordedAtAll(camera);
}

function nothingRecordedAtAll(camera: Camera): NvrdError {
  return new NvrdError("NOT_FOUND", `nothing is recorded of channel ${camera.name}`, { hint: RECORDED_HINT });
}

/** The error if only the main stream exists, and the user may not receive it. */
function refusedMain(
  principal: Principal,
  camera: Camera,
  { archived }: { readonly archived: boolean },
): NvrdError {
  const key: StreamKey = { channelId: camera.id, streamType: "Main" };
  const refusal =
    refusedViewing(principal, { of: key, sound: false, archived }) ?? "there is no other stream of";
  return new NvrdError("FORBIDDEN", `${refusal} channel ${camera.name}`);
}

/** The named stream, or all that the user may receive, the last one first. Throws NvrdError FORBIDDEN if there is none. */
function streamTypes(
  principal: Principal,
  { camera, streamType: named }: SiteRequest,
  { archived }: { readonly archived: boolean },
): readonly StreamType[] {
  const candidates = named === undefined ? LAST_STREAM_FIRST : [named];
  let refusal: string | undefined;
  const allowed = candidates.filter((streamType) => {
    const refused = refusedViewing(principal, {
      of: { channelId: camera.id, streamType },
      sound: false,
      archived,
    });
    refusal ??= refused;
    return refused === undefined;
  });
  if (allowed.length === 0) throw new NvrdError("FORBIDDEN", `${refusal} channel ${camera.name}`);
  return allowed;
}

async function make(
  context: RequestContext<StillNeeds>,
  source: StillSource,
  size: StillSize,
): Promise<EndpointResult> {
  const share = context.needs.stills.make(source, size);
  context.response.onClose(() => share.cancel());
  return answerStill(await share.still);
}

const ANSWERS = new WeakMap<Still, Answer>();

/** The answer with a still, created once for each. */
function answerStill(still: Still): Answer {
  const known = ANSWERS.get(still);
  if (known !== undefined) return known;
  const answer: Answer = {
    status: 200,
    headers: [
      ["Content-Type", "image/jpeg"],
      ["Cache-Control", "private, no-cache"],
      ["ETag", `"${still.tag}"`],
      ["Timestamp", formatApiTimeMs(still.shownUs)],
    ],
    body: still.jpeg,
  };
  ANSWERS.set(still, answer);
  return answer;
}
