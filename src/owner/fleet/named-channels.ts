import type { Guid } from "../../base/index.js";
import type { ChannelPlace } from "../../fleet/index.js";
import type { ApiRequest } from "../../http/index.js";
import type { BoxesControl, FleetNeeds } from "./fleet-control.js";
import { rememberedBoxes } from "./remembered-boxes.js";

const GUIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
/** A channel may be selected by name or number there. */
const BY_NAME = /^\/(?:video|rtsp|hls|site|mobile|exportarchive)$/;

/** What is asked, and of which server. */
interface Asking {
  readonly needs: Pick<FleetNeeds, "site">;
  readonly request: Pick<ApiRequest, "content" | "path" | "query" | "body">;
}

/** A channel that a request names, and where it is. */
export interface NamedChannel extends ChannelPlace {
  /** Its id at the hub. */
  readonly id: Guid;
}

/** What a request names. */
export interface Named {
  /** Of recorders, each once. */
  readonly channels: readonly NamedChannel[];
  /** Whether a channel of the hub itself is named. */
  readonly isOwn: boolean;
  /** The query in place of what was sent, where a channel was named by its name or number. */
  readonly query?: string;
}

/** The channels that are named in a request's path, query and body, and what is known by its id to be a recorder's. */
export function namedIn({ needs, request }: Asking, boxes: BoxesControl): Named {
  const { target } = request.content;
  const own = new Set(needs.site.current.cameras.map(({ id }) => id));
  const body = Buffer.from(request.body).toString("latin1");
  const ids = new Set([...`${target}\n${body}`.matchAll(GUIDS)].map(([id]) => id.toLowerCase()));
  const channels: NamedChannel[] = [];
  const remembered = rememberedBoxes(boxes.catalogue);
  for (const id of ids) {
    const place = own.has(id) ? undefined : (boxes.catalogue.place(id) ?? remembered.place(id));
    if (place !== undefined) channels.push({ ...place, id });
  }
  const isOwn = [...ids].some((id) => own.has(id));
  if (channels.length > 0 || isOwn || !BY_NAME.test(request.path)) return { channels, isOwn };
  return selected({ needs, request }, boxes) ?? { channels, isOwn };
}

/** The recorder's channel that is selected by name or number; undefined: none, or the hub's own. */
function selected({ needs, request }: Asking, boxes: BoxesControl): Named | undefined {
  const { query } = request;
  const own = needs.site.current.cameras;
  const states = new Map(boxes.boxes().map(({ id, name }) => [id, name]));
  const all = boxes.catalogue.boxes
    .toSorted((a, b) => (states.get(a.boxId) ?? "").localeCompare(states.get(b.boxId) ?? ""))
    .flatMap(({ channels }) => channels);
  const name = query.getFilled("channel")?.toLowerCase();
  const number = Number(query.getFilled("channelnum") ?? Number.NaN);
  const found =
    name === undefined
      ? all[number - own.length]
      : own.some((camera) => camera.name.toLowerCase() === name)
        ? undefined
        : oneOf(all.filter((channel) => channel.Name.toLowerCase() === name));
  const place = found === undefined ? undefined : boxes.catalogue.place(found.Id);
  if (found === undefined || place === undefined) return undefined;
  const [, sent = ""] = request.content.target.split(/\?(.*)/s);
  const others = sent.split(/[&?]/).filter((pair) => !/^channel(?:num)?=/i.test(pair));
  return {
    channels: [{ ...place, id: found.Id }],
    isOwn: false,
    query: [...others, `channelid=${found.Id}`].filter((pair) => pair !== "").join("&"),
  };
}

/** The only one: where several have a name, the id has to be given. */
function oneOf<T>(found: readonly T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined;
}

/** Ids as the recorder has them. */
export function ownIds(text: string, channels: readonly NamedChannel[]): string {
  return channels.reduce(
    (changed, { id, ownId }) => (id === ownId ? changed : changed.replace(new RegExp(id, "gi"), ownId)),
    text,
  );
}

/** Ids as the hub shows them. */
export function shownIds(text: string, channels: readonly NamedChannel[]): string {
  return channels.reduce(
    (changed, { id, ownId }) => (id === ownId ? changed : changed.replaceAll(ownId, id)),
    text,
  );
}
