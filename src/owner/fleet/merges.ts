import { archiveEventTexts, readArchiveEventsBody } from "../../compat/index.js";
import type { Findings, SeenFindings, Timeline } from "../../contract/answer/index.js";
import { findingsQuery, timelineQuery } from "../../contract/query/index.js";
import {
  type EndpointResult,
  LoggedInRequest,
  type RequestContext,
  readParameter,
  STREAMED,
} from "../../route/index.js";
import { FirstItems } from "./first-items.js";
import type { BoxesControl, FleetNeeds } from "./fleet-control.js";
import {
  allBoxes,
  answerGathered,
  type GatherAsk,
  type Gathered,
  gather,
  nobodyAnswered,
} from "./gathered.js";
import { type Named, type NamedChannel, ownIds, shownIds } from "./named-channels.js";
import { rememberedBoxes } from "./remembered-boxes.js";
import { answerAllEvents } from "./wide-events.js";
import { answerAllStates } from "./wide-states.js";
import { withoutLogin } from "./without-login.js";

/** Of an answer about events of several recorders; one that asks for more gets this many. */
const EVENTS_MAX = 10_000;

type Context = RequestContext<FleetNeeds>;

interface Asked {
  readonly boxes: BoxesControl;
  readonly named: Named;
  /** What this server answers of itself. */
  readonly here: (context: Context) => EndpointResult | Promise<EndpointResult>;
}

interface Merge {
  /** Also where all that is asked is of one recorder. */
  readonly isAlways?: true;
  answer(context: Context, asked: Asked): EndpointResult | Promise<EndpointResult>;
}

/** How the answers of several recorders, and of the hub itself, become one, by method and path. */
export const MERGES: Readonly<Record<string, Merge>> = {
  "GET /api/channels": { answer: answerChannels },
  "GET /api/timeline": { answer: answerTimeline },
  // `before` names a channel too, whatever is searched.
  "GET /api/findings": { answer: answerFindings, isAlways: true },
  "POST /api/findings/seen": { answer: answerSeen, isAlways: true },
  "POST /archive_events": { answer: answerEvents, isAlways: true },
  "GET /api/archive/former": { answer: answerLists },
  "GET /api/tasks": { answer: answerLists },
  "GET /api/files": { answer: answerLists },
  "GET /api/outputs": { answer: answerLists },
  "GET /event": { answer: answerAllEvents },
  "GET /command getchannelsstates": { answer: answerAllStates },
  "POST /command getchannelsstates": { answer: answerAllStates },
};

/** From memory: no recorder is waited for. */
async function answerChannels(context: Context, { here }: Asked): Promise<EndpointResult> {
  const own = jsonOf<unknown[]>(await here(context));
  const { servers } = context.needs.otherServers(context.principal) ?? { servers: [] };
  const missing = servers.flatMap(({ id, isConnected }) => (isConnected ? [] : [id]));
  const all = {
    *[Symbol.iterator]() {
      yield* own;
      for (const { channels } of servers) yield* channels;
    },
  };
  return await answerGathered(context, all, { missing });
}

/** The channels in the order of the request; those of recorders that do not answer are left out. */
async function answerTimeline(context: Context, { named, here }: Asked): Promise<EndpointResult> {
  const ids = readParameter(context.request.query, timelineQuery, "channels");
  const own = ids.filter((id) => !named.channels.some((channel) => channel.id === id));
  const asks = byBox(named.channels).map(([boxId, channels]) => ({
    boxId,
    path: pathWith(context, "channels", channels),
  }));
  const gathered = await gatherShown(context, asks, named.channels, (text) => JSON.parse(text) as Timeline);
  const ofHub =
    own.length === 0
      ? []
      : [jsonOf<Timeline>(await here(asking(context, queryWith(context, "channels", own))))];
  const parts = [...ofHub, ...gathered.parts.map(({ part }) => part)];
  const [first] = parts;
  if (first === undefined) return nobodyAnswered(gathered) ?? (await here(context));
  const byId = new Map(parts.flatMap(({ Channels }) => Channels.map((channel) => [channel.Id, channel])));
  return answerGathered(context, { ...first, Channels: ids.flatMap((id) => byId.get(id) ?? []) }, gathered);
}

/** A page of the newest of all. Each is asked for a whole page behind the same finding, so that none is left out. */
async function answerFindings(context: Context, { boxes, named, here }: Asked): Promise<EndpointResult> {
  const { query } = context.request;
  const limit = readParameter(query, findingsQuery, "limit");
  const ids = readParameter(query, findingsQuery, "channelids");
  const own = ids?.filter((id) => !named.channels.some((channel) => channel.id === id));
  const asked =
    ids === undefined
      ? allBoxes(boxes).map((boxId) => ({
          boxId,
          path: samePath(
            context,
            named.channels.filter((channel) => channel.boxId === boxId),
          ),
        }))
      : byBox(named.channels.filter(({ id }) => ids.includes(id))).map(([boxId, channels]) => ({
          boxId,
          path: pathWith(context, "channelids", channels),
        }));
  const page = new FirstItems<Findings["Findings"][number]>(limit, newestFirst);
  let isComplete = true;
  let hasMore = false;
  const add = ({ Findings: found, Next, IsComplete }: Findings): true => {
    page.add(found);
    hasMore ||= Next !== null;
    isComplete &&= IsComplete;
    return true;
  };
  const gathered = await gatherShown(context, asked, allChannels(boxes), (text) =>
    add(JSON.parse(text) as Findings),
  );
  if (own === undefined) add(jsonOf<Findings>(await here(context)));
  else if (own.length > 0)
    add(jsonOf<Findings>(await here(asking(context, queryWith(context, "channelids", own)))));
  else if (gathered.parts.length === 0) return nobodyAnswered(gathered) ?? (await here(context));
  const { items } = page;
  const answer: Findings = {
    Findings: [...items],
    Next: hasMore || page.isCut ? (items.at(-1)?.Id ?? null) : null,
    IsComplete: gathered.missing.length === 0 && isComplete,
  };
  return await answerGathered(context, answer, gathered);
}

/** As one recorder sorts them: by begin, of one moment by channel. */
function newestFirst(a: { readonly Id: string }, b: { readonly Id: string }): number {
  const [begunA, begunB] = [Number(a.Id.slice(37)), Number(b.Id.slice(37))];
  return begunA === begunB ? (a.Id < b.Id ? 1 : -1) : begunB - begunA;
}

/** Marks are kept where the findings are. */
async function answerSeen(context: Context, { boxes, named, here }: Asked): Promise<EndpointResult> {
  const body = Buffer.from(context.request.body).toString("utf8");
  const { Ids: ids, UpTo } = jsonBody<{ Ids?: unknown; UpTo?: unknown }>(body);
  const listed: readonly string[] = Array.isArray(ids) ? ids.map(String) : [];
  const asks = allBoxes(boxes).flatMap((boxId): readonly GatherAsk[] => {
    const channels = named.channels.filter((channel) => channel.boxId === boxId);
    const of = listed.filter((id) => channels.some((channel) => id.startsWith(channel.id)));
    if (of.length === 0 && UpTo == null) return [];
    const seenBody = JSON.stringify({ Ids: of, ...(UpTo == null ? {} : { UpTo }) });
    return [{ boxId, path: samePath(context, []), body: Buffer.from(ownIds(seenBody, channels)) }];
  });
  const gathered = await gather(context, asks, (text) => JSON.parse(text) as SeenFindings);
  // The hub says what is wrong with the body.
  const own = await here(context);
  if (own !== STREAMED && own.status !== 200) return own;
  const times = [jsonOf<SeenFindings>(own), ...gathered.parts.map(({ part }) => part)].map(
    ({ SeenUpTo }) => SeenUpTo,
  );
  const earliest = times.includes(null) ? null : (times.toSorted()[0] ?? null);
  return answerGathered(context, { SeenUpTo: earliest }, gathered);
}

interface EventItem {
  readonly Timestamp: string;
}

/** In ascending order of time, cut as one recorder cuts. */
async function answerEvents(context: Context, { boxes, named }: Asked): Promise<EndpointResult> {
  const { request, needs } = context;
  const { query } = readArchiveEventsBody(request.body, needs.clock.nowUs());
  const texts: string[] = [];
  for await (const text of archiveEventTexts(context)) texts.push(text);
  const isNamed = named.isOwn || named.channels.length > 0;
  const asked = isNamed ? byBox(named.channels).map(([boxId]) => boxId) : allBoxes(boxes);
  const body = Buffer.from(request.body).toString("utf8");
  const asks = asked.map((boxId) => {
    const channels = named.channels.filter((channel) => channel.boxId === boxId);
    return { boxId, path: samePath(context, channels), body: Buffer.from(ownIds(body, channels)) };
  });
  const limit = Math.min(query.limit, EVENTS_MAX);
  const first = new FirstItems<PlacedEvent>(limit, query.fromBegin === true ? oldestFirst : latestFirst);
  const places = new Map(asked.map((boxId, at) => [boxId, at + 1]));
  const add = (text: string, place: number): true => {
    first.add((JSON.parse(text) as EventItem[]).map((item, at) => ({ item, place, at })));
    return true;
  };
  add(texts.join(""), 0);
  const gathered = await gatherShown(context, asks, allChannels(boxes), (text, boxId) =>
    add(text, places.get(boxId) ?? 0),
  );
  const shown = first.items.map(({ item }) => item);
  if (query.fromBegin !== true) shown.reverse();
  return await answerGathered(context, shown, gathered);
}

/** An event, from which answer it is, and where it stands there. */
interface PlacedEvent {
  readonly item: EventItem;
  readonly place: number;
  readonly at: number;
}

function oldestFirst(a: PlacedEvent, b: PlacedEvent): number {
  const [timeA, timeB] = [a.item.Timestamp, b.item.Timestamp];
  if (timeA !== timeB) return timeA < timeB ? -1 : 1;
  return a.place - b.place || a.at - b.at;
}

function latestFirst(a: PlacedEvent, b: PlacedEvent): number {
  return oldestFirst(b, a);
}

/** Lists that are one behind the other; what is in them is found again by its id. */
async function answerLists(context: Context, { boxes, named, here }: Asked): Promise<EndpointResult> {
  const remembered = rememberedBoxes(boxes.catalogue);
  const asks = allBoxes(boxes).map((boxId) => ({ boxId, path: samePath(context, named.channels) }));
  const gathered = await gatherShown(context, asks, allChannels(boxes), (text, boxId) => {
    remembered.note(boxId, text);
    return JSON.parse(text) as unknown[];
  });
  const own = jsonOf<unknown[]>(await here(context));
  return answerGathered(context, [...own, ...gathered.parts.flatMap(({ part }) => part)], gathered);
}

/** Asks recorders, and reads their answers with ids as the hub shows them. */
function gatherShown<T extends NonNullable<unknown>>(
  context: Context,
  asks: readonly GatherAsk[],
  channels: readonly NamedChannel[],
  read: (text: string, boxId: string) => T,
): Promise<Gathered<T>> {
  const ofBoxes = new Map(byBox(channels));
  return gather(context, asks, (text, boxId) => read(shownIds(text, ofBoxes.get(boxId) ?? []), boxId));
}

/** All that the hub shows under another id than their recorder's. */
function allChannels({ catalogue }: BoxesControl): readonly NamedChannel[] {
  return catalogue.boxes.flatMap(({ channels }) =>
    channels.flatMap(({ Id }) => {
      const place = catalogue.place(Id);
      return place === undefined || place.ownId === Id ? [] : [{ ...place, id: Id }];
    }),
  );
}

function byBox(channels: readonly NamedChannel[]): [boxId: string, channels: readonly NamedChannel[]][] {
  const found = new Map<string, NamedChannel[]>();
  for (const channel of channels) {
    const ofBox = found.get(channel.boxId);
    if (ofBox === undefined) found.set(channel.boxId, [channel]);
    else ofBox.push(channel);
  }
  return [...found];
}

/** The request's query with other channels. */
function queryWith({ request }: Context, name: string, ids: readonly string[]): string {
  const [, sent = ""] = request.content.target.split(/\?(.*)/s);
  const others = sent.split(/[&?]/).filter((pair) => !pair.toLowerCase().startsWith(`${name}=`));
  return [...others, `${name}=${ids.join(",")}`].filter((pair) => pair !== "").join("&");
}

/** Path and query for a recorder, with its channels by its own ids. */
function pathWith(context: Context, name: string, channels: readonly NamedChannel[]): string {
  const query = queryWith(
    context,
    name,
    channels.map(({ id }) => id),
  );
  return ownIds(`${context.request.path}${withoutLogin(`?${query}`)}`, channels);
}

function samePath({ request }: Context, channels: readonly NamedChannel[]): string {
  const [, sent = ""] = request.content.target.split(/\?(.*)/s);
  return ownIds(`${request.path}${withoutLogin(`?${sent}`)}`, channels);
}

/** The same request with another query. */
function asking(context: Context, query: string): Context {
  const { needs, request, response, principal, credentials, pathValues, log } = context;
  return new LoggedInRequest({
    ...{ needs, request: request.asking(query), response, principal, credentials, pathValues, log },
  });
}

/** The value of an answer of this server, which is JSON. */
function jsonOf<T>(answer: EndpointResult): T {
  if (answer === STREAMED) throw new Error("an answer that is merged is not sent by itself");
  return JSON.parse(Buffer.from(answer.body).toString("utf8")) as T;
}

/** A body as it was sent; nothing where it is none, which the endpoint of this server says. */
function jsonBody<T extends object>(text: string): Partial<T> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Partial<T>) : {};
  } catch {
    return {};
  }
}
