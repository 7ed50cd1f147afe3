import { type Guid, NvrdError } from "../../base/index.js";
import type { Answer } from "../../http/index.js";
import {
  type Endpoint,
  type EndpointResult,
  LoggedInRequest,
  type RequestContext,
  STREAMED,
} from "../../route/index.js";
import { openLive } from "../live/index.js";
import { passRequest } from "./box-request.js";
import { passSocket } from "./box-socket.js";
import { requireHub } from "./boxes.js";
import type { FleetNeeds } from "./fleet-control.js";
import { MERGES } from "./merges.js";
import { type Named, type NamedChannel, namedIn, ownIds, shownIds } from "./named-channels.js";
import { rememberedBoxes } from "./remembered-boxes.js";
import { isShared, seenHere } from "./viewing/seen-here.js";
import { WideLive } from "./wide-live.js";
import { withoutLogin } from "./without-login.js";

/** What streams a camera's pictures. */
const LIVE: ReadonlySet<string> = new Set(["/video", "/hls"]);

/** The route that is asked, and what it answers of this server alone. */
export interface AskedRoute<Needs> {
  readonly path: string;
  readonly here: Endpoint<Needs>;
}

/** Answers with what the recorders of this hub have: of one of them, of several together, or of the hub itself. */
export async function answerWidely<Needs extends FleetNeeds>(
  context: RequestContext<Needs>,
  { path, here }: AskedRoute<Needs>,
): Promise<EndpointResult> {
  const { needs } = context;
  const boxes = requireHub(needs);
  if (path === "/api/live") return openLive(context, (client) => new WideLive(client, context));
  const named = namedIn(context, boxes);
  const asked = new Set(named.channels.map(({ boxId }) => boxId));
  const [boxId, ...others] = asked;
  const isAlone = boxId !== undefined && others.length === 0 && !named.isOwn;
  const shared = await answerShared(context, { path, here }, named);
  if (shared !== undefined) return shared;
  const merge = MERGES[mergeName(path, context)];
  if (isAlone && merge?.isAlways !== true) return await passOn(context, boxId, named);
  const isOwnAlone = named.isOwn && asked.size === 0;
  if (merge !== undefined && (merge.isAlways === true || !isOwnAlone))
    return await merge.answer(context, { boxes, named, here: here as Endpoint<FleetNeeds> });
  if (asked.size === 0) return await here(context);
  throw new NvrdError("CONFLICT", "this cannot be asked of several recorders at once", {
    hint: "ask for the cameras of each recorder by themselves",
  });
}

/** What one camera of a recorder is watched by live, all viewers over one stream; undefined: anything else, or what cannot be shared. */
async function answerShared<Needs extends FleetNeeds>(
  context: RequestContext<Needs>,
  { path, here }: AskedRoute<Needs>,
  { channels: [channel, ...others], isOwn, query }: Named,
): Promise<EndpointResult | undefined> {
  const { needs, principal, response, credentials, pathValues, log } = context;
  if (!LIVE.has(path) || channel === undefined || others.length > 0 || isOwn) return undefined;
  const request = query === undefined ? context.request : context.request.asking(query);
  const asked = { channel, principal, query: request.query };
  const seen = isShared({ needs, ...asked }) ? await seenHere(needs, asked) : undefined;
  if (seen === undefined && path === "/hls") throw onlyBelow(channel);
  if (seen === undefined) return undefined;
  const ofCamera = { ...needs, ...seen } as unknown as Needs;
  return await here(
    new LoggedInRequest({
      ...{ needs: ofCamera, request, response, principal, credentials },
      pathValues,
      log,
    }),
  );
}

/** A recorder's names of streams are its own. */
function onlyBelow({ boxId, ownId }: NamedChannel): NvrdError {
  return new NvrdError(
    "NOT_SUPPORTED",
    "a hub has of its recorders live pictures in H.264 and H.265 by HLS",
    {
      hint: `ask /boxes/${boxId}/hls?channelid=${ownId}`,
    },
  );
}

/** Of what a path answers by its `type`, each is merged in its own way. */
function mergeName(path: string, { request }: RequestContext): string {
  const type = path === "/command" ? ` ${request.query.getFilled("type")?.toLowerCase()}` : "";
  return `${request.method === "HEAD" ? "GET" : request.method} ${path}${type}`;
}

/** All that is asked is of one recorder. */
async function passOn(
  context: RequestContext<FleetNeeds>,
  boxId: Guid,
  { channels, query }: Named,
): Promise<EndpointResult> {
  const { request, needs } = context;
  if (request.bodyStream !== undefined)
    throw new NvrdError("NOT_AVAILABLE", "what is sent for as long as it lasts does not pass through a hub", {
      hint: "ask the recorder itself",
    });
  const [path = "", sent] = request.content.target.split(/\?(.*)/s);
  const text = query ?? sent;
  const target = {
    boxId,
    path: ownIds(`${path}${withoutLogin(text === undefined ? "" : `?${text}`)}`, channels),
    body: Buffer.from(ownIds(Buffer.from(request.body).toString("latin1"), channels), "latin1"),
    isFramed: true,
  };
  if (request.header("upgrade") !== undefined) return await passSocket(context, target);
  const answer = await passRequest(context, target);
  return answer === STREAMED ? answer : shownAnswer(answer, { boxId, channels, needs });
}

const TEXT_TYPE = /^(?:application\/(?:json|xml)|text\/)/;

interface Asked {
  readonly boxId: Guid;
  readonly channels: readonly NamedChannel[];
  readonly needs: FleetNeeds;
}

function shownAnswer(answer: Answer, { boxId, channels, needs }: Asked): Answer {
  const type = answer.headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  if (!TEXT_TYPE.test(type)) return answer;
  const text = Buffer.from(answer.body).toString("latin1");
  if (answer.status === 200) rememberedBoxes(requireHub(needs).catalogue).note(boxId, text);
  return { ...answer, body: Buffer.from(shownIds(text, channels), "latin1") };
}
