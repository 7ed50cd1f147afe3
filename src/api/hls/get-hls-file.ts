import { NvrdError } from "../../base/index.js";
import { MEDIA_PLAYLIST_NAME, parseMediaFile, type ReloadRequest } from "../../hls/index.js";
import { type Query, shown } from "../../http/index.js";
import type { EndpointResult, NamedContext } from "../route/index.js";
import { PLAYLIST_ENDING } from "./get-hls.js";
import { answerPieces } from "./hls-answer.js";
import type { HlsNeeds } from "./needs.js";

const PLAYLIST_TYPE = "application/vnd.apple.mpegurl";
const MEDIA_TYPE = "video/mp4";

/** GET /hls/{name}: the multivariant playlist of what the name stands for. */
export async function getHlsPlaylist(context: NamedContext<HlsNeeds>): Promise<EndpointResult> {
  const asked = context.pathValues.get("name") ?? "";
  const name = asked.endsWith(PLAYLIST_ENDING) ? asked.slice(0, -PLAYLIST_ENDING.length) : asked;
  return await context.needs.hlsSessions.use(name, async ({ source }) => {
    await source.ready();
    // Relative to /hls/, with and without the ending.
    const text = source.multivariantPlaylist(`${name}/${MEDIA_PLAYLIST_NAME}`);
    return answerPieces(context, PLAYLIST_TYPE, [Buffer.from(text)]);
  });
}

/** GET /hls/{name}/{file}: the media playlist, an init segment, a segment or a part. */
export async function getHlsFile(context: NamedContext<HlsNeeds>): Promise<EndpointResult> {
  const { pathValues, needs, request } = context;
  const name = pathValues.get("name") ?? "";
  const file = pathValues.get("file") ?? "";
  const reload = readReload(request.query);
  return await needs.hlsSessions.use(name, async ({ source }) => {
    if (file === MEDIA_PLAYLIST_NAME) {
      const playlist = await source.mediaPlaylist(reload);
      return answerPieces(context, PLAYLIST_TYPE, [playlist]);
    }
    const media = parseMediaFile(file);
    const pieces = media === undefined ? undefined : await source.file(media);
    if (pieces === undefined) {
      throw new NvrdError("NOT_FOUND", `there is no ${shown(file)}, or not any more`, {
        hint: "read the playlist again for what there is",
      });
    }
    return answerPieces(context, MEDIA_TYPE, pieces);
  });
}

/** Digits of a segment's or a part's number: streams do not last for centuries. */
const NUMBER = /^\d{1,9}$/;

/** `_HLS_msn` and `_HLS_part` (rfc8216bis, 6.2.5.2). */
function readReload(query: Query): ReloadRequest | undefined {
  const sequence = readNumber(query, "_hls_msn");
  const part = readNumber(query, "_hls_part");
  if (sequence === undefined) {
    if (part !== undefined) throw new NvrdError("BAD_REQUEST", "_HLS_part needs _HLS_msn");
    return undefined;
  }
  return part === undefined ? { sequence } : { sequence, part };
}

function readNumber(query: Query, name: string): number | undefined {
  const text = query.getFilled(name);
  if (text === undefined) return undefined;
  if (!NUMBER.test(text))
    throw new NvrdError("BAD_REQUEST", `parameter "${name}" is "${shown(text)}": use a whole number`);
  return Number(text);
}
