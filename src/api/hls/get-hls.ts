import { NvrdError } from "../../base/index.js";
import { ArchiveSource, type HlsSource } from "../../hls/index.js";
import type { Answer } from "../../http/index.js";
import {
  type RequestContext,
  readVideoRequest,
  refusedViewing,
  requireArchiveRight,
  requireKnown,
  selectChannel,
  type VideoRequest,
  type Viewing,
} from "../route/index.js";
import { RECORDED_HINT } from "../video/index.js";
import type { HlsNeeds } from "./needs.js";

/** How far in the future a recording may be asked for: it will be there in a moment. */
const FUTURE_US_MAX = 10_000_000;
/** What follows the name: players that go by a file's ending know it by this. */
export const PLAYLIST_ENDING = ".m3u8";

/** GET /hls: a name below /hls/ that stands for a channel's stream, live or recorded. */
export async function getHls(context: RequestContext<HlsNeeds>): Promise<Answer> {
  const { needs, request, principal } = context;
  const camera = selectChannel(request.query, needs.site.current, principal);
  const video = readVideoRequest(request.query, camera);
  if (video.playback !== undefined) requireArchiveRight(principal, camera);
  const refusal = refusedViewing(principal, viewingOf(video));
  if (refusal !== undefined) throw new NvrdError("FORBIDDEN", `${refusal} channel ${camera.name}`);
  const source = video.playback === undefined ? openLive(context, video) : openArchive(context, video);
  if (request.method === "HEAD") return answerName("");
  return answerName(await nameOf(context, video, source));
}

function viewingOf({ key, sound, playback }: VideoRequest): Viewing {
  return { key, sound, archived: playback !== undefined };
}

/** Opens what was asked for, once it is known to be there. */
type Opener = () => HlsSource;

function openLive({ needs }: RequestContext<HlsNeeds>, { key, sound }: VideoRequest): Opener {
  const stream = needs.streams.stream(key.channelId, key.streamType);
  if (stream === undefined) {
    throw new NvrdError("NOT_FOUND", `the channel is switched off or has no stream ${key.streamType}`, {
      hint: "see GET /configex for the channels and their streams",
    });
  }
  return () => needs.hlsStreams.open(stream, sound);
}

function openArchive(
  { needs, log }: RequestContext<HlsNeeds>,
  { key, sound, playback }: VideoRequest,
): Opener {
  const { archive, clock, soundCodec: codec, hlsReadAhead: budget } = needs;
  const { startUs = 0, speed = 1 } = playback ?? {};
  requireKnown(archive, key, startUs);
  if (archive.nearestFrameUs(key, startUs) === undefined) {
    throw new NvrdError("NOT_FOUND", `nothing is recorded of the channel's stream ${key.streamType}`, {
      hint: RECORDED_HINT,
    });
  }
  if (startUs > clock.nowUs() + FUTURE_US_MAX)
    throw new NvrdError("NOT_FOUND", "starttime lies in the future", { hint: RECORDED_HINT });
  return () => new ArchiveSource({ archive, key, startUs, speed, sound, codec, budget, clock, log });
}

/** A name for the source, once a player can begin with it. */
async function nameOf(context: RequestContext<HlsNeeds>, video: VideoRequest, open: Opener): Promise<string> {
  const { needs, principal, credentials, response } = context;
  const { hlsSessions: sessions, openStreams, streams, site } = needs;
  const recorded = video.playback !== undefined;
  const userId = principal.user.id;
  sessions.requireRoom({ userId, recorded });
  const { channelId, streamType } = video.key;
  const stream = recorded ? undefined : streams.stream(channelId, streamType);
  const sourceHolds = (): boolean =>
    recorded
      ? site.current.cameras.some((camera) => camera.id === channelId)
      : streams.stream(channelId, streamType) === stream;
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
    await sessions.use(name, () => source.ready());
    isWaiting = false;
  } catch (error) {
    end();
    throw error;
  }
  if (!sessions.has(name))
    throw new NvrdError("NOT_AVAILABLE", "the configuration changed before the first segment was there");
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
