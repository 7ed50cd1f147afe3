import { NvrdError } from "../../base/index.js";
import { hlsQuery } from "../../contract/query/index.js";
import type { Answer } from "../../http/index.js";
import {
  ArchiveSource,
  type HlsSource,
  isStillThere,
  nearestRecordedUs,
  nothingRecordedOf,
  presentRotations,
  refusedViewing,
  requireKnown,
} from "../../player/index.js";
import {
  describeQuery,
  noLiveStream,
  type RequestContext,
  type Route,
  readVideoRequest,
  receivable,
  requireArchiveRight,
  STREAM_ACCESS,
  STREAM_RULES,
  selectChannel,
  TEXT,
  VIEWING_RIGHTS,
  type VideoRequest,
  viewingOf,
} from "../../route/index.js";
import type { HlsNeeds } from "./hls-sessions.js";

export const HLS_ROUTE: Route<HlsNeeds> = {
  method: "GET",
  path: "/hls",
  login: "user",
  rights: VIEWING_RIGHTS,

  describe: {
    topic: "hls",
    summary: "Returns a name below /hls/ under which a player finds a channel's stream",
    access: STREAM_ACCESS,
    text: [
      "The name is text, `0123…cdef.m3u8`. It has 160 random bits and gives access without credentials, because players send none with the URLs of a playlist. It is valid for this stream, with the rights of the user who requested it.",
      "",
      "- A name ends (404) 30 s after its last use, and within a second of a change of the right, the user, the password, the channel or the stream. Users of a directory are checked every minute.",
      "- A user may have 32 names (429 with `Retry-After`). There may be 256 names in all, 32 of them of recordings (503).",
      "- Names are not logged.",
      "- A stream in MJPEG or MPEG-4 Part 2 is transcoded to H.264, once for all who play it live: at most 1920x1080 (upright pictures 1080x1920) and 30 pictures a second. Only such pictures can be turned by the stream's `RotationMode`: H.264 and H.265 go out as the camera sends them. Where too much is being transcoded the answer is 503.",
      "- The answer comes with the first complete segment.",
    ],
    parameters: describeQuery(hlsQuery),
    together: STREAM_RULES,
    answer: { text: "The name, with the ending `.m3u8`.", content: { "text/plain": TEXT } },
    errors: {
      404: "There is no such channel or stream, or nothing is recorded of it.",
      429: "The user has 32 names. `Retry-After` says how long to wait.",
      501: "The stream is neither H.264 nor H.265, and the recorder has no H.264 encoder.",
      503: "No segment came within 4.5 s from a camera that does not answer, within 10 s from another; or there are too many streams or names.",
    },
    example: [
      'curl -fu "$AUTH" "$NVRD/hls?channelnum=0"',
      'curl -fu "$AUTH" "$NVRD/hls?channelid=$CHANNEL&mode=archive&starttime=$FROM&speed=2"',
    ],
  },
  /** GET /hls: a name below /hls/ for a channel's stream, live or recorded. */
  async endpoint(context) {
    const { needs, request, principal } = context;
    const camera = selectChannel(request.query, needs, principal);
    const video = receivable(readVideoRequest(request.query, camera), principal);
    if (video.playback !== undefined) requireArchiveRight(principal, camera);
    const refusal = refusedViewing(principal, viewingOf(video));
    if (refusal !== undefined) throw new NvrdError("FORBIDDEN", `${refusal} channel ${camera.name}`);
    const source = video.playback === undefined ? openLive(context, video) : openArchive(context, video);
    if (request.method === "HEAD") return answerName("");
    return answerName(await nameOf(context, video, source));
  },
};

/** The ending of the name, for players that go by the file extension. */
export const PLAYLIST_ENDING = ".m3u8";

/** Opens what was asked for, once it is known to be there. */
type Opener = () => HlsSource;

function openLive({ needs }: RequestContext<HlsNeeds>, { key, sound }: VideoRequest): Opener {
  const stream = needs.streams.stream(key.channelId, key.streamType);
  if (stream === undefined) throw noLiveStream(needs.streams, key.streamType);
  return () => needs.hlsStreams.open(stream, sound);
}

function openArchive(
  { needs, log }: RequestContext<HlsNeeds>,
  { key: named, sound, playback }: VideoRequest,
): Opener {
  const { archive, clock, soundCodec: codec, hlsReadAhead: budget, transcoding } = needs;
  const { of: key = named, startUs: askedUs = 0, speed = 1 } = playback ?? {};
  requireKnown(archive, key, askedUs);
  const startUs = nearestRecordedUs(archive, key, askedUs);
  if (startUs === undefined) throw nothingRecordedOf(key);
  return () =>
    new ArchiveSource({
      ...{ archive, key, startUs, speed, sound, codec, transcoding, budget, clock, log },
      rotationOf: presentRotations(needs.site),
    });
}

/** A name for the source, when a player can begin with it. */
async function nameOf(context: RequestContext<HlsNeeds>, video: VideoRequest, open: Opener): Promise<string> {
  const { needs, principal, credentials, response } = context;
  const { hlsSessions: sessions, openStreams, streams } = needs;
  const recorded = video.playback !== undefined;
  const userId = principal.user.id;
  sessions.requireRoom({ userId, recorded });
  const { channelId, streamType } = video.key;
  const stream = recorded ? undefined : streams.stream(channelId, streamType);
  const sourceHolds = (): boolean =>
    recorded ? isStillThere(needs, channelId) : streams.stream(channelId, streamType) === stream;
  const source = open();
  let forget: () => void = () => undefined;
  const { name } = sessions.add({ source, userId, recorded, onEnd: () => forget() });
  const end = (): void => sessions.end(name);
  try {
    forget = openStreams.add({
      credentials,
      viewer: { over: "hls", source: recorded ? "recorded" : "live" },
      mayContinue: (now) =>
        now.maySee(channelId) && refusedViewing(now, viewingOf(video)) === undefined && sourceHolds(),
      end,
    });
    let isWaiting = true;
    response.onClose(() => {
      if (isWaiting) end();
    });
    await sessions.use(name, () => source.ready(response));
    isWaiting = false;
  } catch (error) {
    end();
    throw error;
  }
  if (!sessions.has(name))
    throw new NvrdError("NOT_AVAILABLE", "the configuration changed before the first segment was available");
  return name;
}

function answerName(name: string): Answer {
  return {
    status: 200,
    headers: [
      ["Content-Type", "text/plain; charset=utf-8"],
      ["Cache-Control", "no-store"],
    ],
    body: Buffer.from(name === "" ? "" : `${name}${PLAYLIST_ENDING}`),
  };
}
