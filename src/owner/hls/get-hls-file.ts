import { NvrdError } from "../../base/index.js";
import { hlsReloadQuery } from "../../contract/query/index.js";
import { type Query, shown } from "../../http/index.js";
import { MEDIA_PLAYLIST_NAME, parseMediaFile, type ReloadRequest } from "../../player/index.js";
import { describeQuery, type Route, readQuery, when } from "../../route/index.js";
import { PLAYLIST_ENDING } from "./get-hls.js";
import { answerPieces } from "./hls-answer.js";
import type { HlsNeeds } from "./hls-sessions.js";

const NAME = "The name returned by `GET /hls`; the ending `.m3u8` is optional.";
const NAME_ERRORS = {
  429: "8 requests with this name are in progress. `Retry-After` says how long to wait.",
};

export const HLS_PLAYLIST_ROUTE: Route<HlsNeeds> = {
  method: "GET",
  path: "/hls/{name}",
  login: "name",

  describe: {
    topic: "hls",
    summary: "Returns the multivariant playlist of a name",
    pathValues: { name: NAME },
    text: [
      "It has one variant, with `CODECS`, `RESOLUTION`, `FRAME-RATE` and the highest `BANDWIDTH` so far. Its one URI is relative: `{name}/media.m3u8`.",
    ],
    answer: {
      text: "The playlist.",
      content: { "application/vnd.apple.mpegurl": { type: "string" } },
    },
    errors: { 404: "The name has ended.", ...NAME_ERRORS },
    example: ['NAME=$(curl -fsS -u "$AUTH" "$NVRD/hls?channelnum=0&sound=on")', 'curl -f "$NVRD/hls/$NAME"'],
  },
  /** GET /hls/{name}: the multivariant playlist of a name. */
  async endpoint(context) {
    const asked = context.pathValues.get("name") ?? "";
    const name = asked.endsWith(PLAYLIST_ENDING) ? asked.slice(0, -PLAYLIST_ENDING.length) : asked;
    return await context.needs.hlsSessions.use(name, async ({ source }) => {
      await source.ready(context.response);
      // Relative to /hls/, with and without the ending.
      const text = source.multivariantPlaylist(`${name}/${MEDIA_PLAYLIST_NAME}`);
      return answerPieces(context, PLAYLIST_TYPE, [Buffer.from(text)]);
    });
  },
};

const PLAYLIST_TYPE = "application/vnd.apple.mpegurl";
const MEDIA_TYPE = "video/mp4";

/** The number of a segment or a part: nine digits last for centuries. */

export const HLS_FILE_ROUTE: Route<HlsNeeds> = {
  method: "GET",
  path: "/hls/{name}/{file}",
  login: "name",

  describe: {
    topic: "hls",
    summary: "Returns the files of a playlist: the media playlist, init segments, segments and parts",
    pathValues: { name: NAME, file: "As in a playlist." },
    text: [
      "`media.m3u8` is the media playlist. It names init segments (`i0.mp4`), segments (`s0.m4s`) and parts (`p0.0.m4s`), all fragmented MP4 and relative to it.",
      "",
      "- `EXT-X-TARGETDURATION` is 5.",
      "- Each segment has `EXT-X-PROGRAM-DATE-TIME`, the presentation time of its first picture.",
      "- After a gap or a change of format there is `EXT-X-DISCONTINUITY` and a new init segment.",
      "- Without `sound=on` there is no sound track.",
      "- The connection is closed if a client takes longer than 30 s for a file.",
      "",
      "**Live.** The playlist holds at least 16 s. Players that support `EXT-X-PART` get parts of 0.44 to 0.5 s (longer below 13 pictures a second, none below 5); `PART-HOLD-BACK` keeps them 1.5 s behind. `?_HLS_msn=N` and `&_HLS_part=P` wait for that segment or part. After 8 s the present playlist is sent, because players give up after 10 s. The part that `EXT-X-PRELOAD-HINT` names is waited for too.",
      "",
      "**Archive.** The playlist grows from the key frame before `starttime` as segments are requested, 3 segments ahead, and keeps 720. `EXT-X-START` is the position of `starttime`. At the live edge it continues as frames are recorded. `speed` changes the times of the pictures, so any player shows them at that speed; above 4 there are only key frames. There is no `EXT-X-ENDLIST`, because more may be recorded.",
    ],
    parameters: describeQuery(hlsReloadQuery),
    together: [when({ required: ["_hls_part"] }, { required: ["_hls_msn"] })],
    answer: {
      text: "The playlist, or fragmented MP4.",
      content: {
        "application/vnd.apple.mpegurl": { type: "string" },
        "video/mp4": { type: "string", format: "binary" },
      },
    },
    errors: {
      404: "The name has ended, or the file no longer exists: read the playlist again.",
      ...NAME_ERRORS,
    },
    example: [
      'NAME=$(curl -fsS -u "$AUTH" "$NVRD/hls?channelnum=0&sound=on")',
      'curl -f "$NVRD/hls/$(basename "$NAME" .m3u8)/media.m3u8"',
    ],
  },
  /** GET /hls/{name}/{file}: the media playlist, an init segment, a segment or a part. */
  endpoint(context) {
    const { pathValues, needs, request, response } = context;
    const name = pathValues.get("name") ?? "";
    const file = pathValues.get("file") ?? "";
    const reload = readReload(request.query);
    return needs.hlsSessions.use(name, async ({ source }) => {
      if (file === MEDIA_PLAYLIST_NAME) {
        const playlist = await source.mediaPlaylist(response, reload);
        return answerPieces(context, PLAYLIST_TYPE, [playlist]);
      }
      const media = parseMediaFile(file);
      const pieces = media === undefined ? undefined : await source.file(media, response);
      if (pieces === undefined) {
        throw new NvrdError("NOT_FOUND", `there is no ${shown(file)}, or no longer`, {
          hint: "read the playlist again for the present files",
        });
      }
      return answerPieces(context, MEDIA_TYPE, pieces);
    });
  },
};

/** `_HLS_msn` and `_HLS_part` (rfc8216bis, 6.2.5.2). */
function readReload(query: Query): ReloadRequest | undefined {
  const { _hls_msn: sequence, _hls_part: part } = readQuery(query, hlsReloadQuery);
  if (sequence === undefined) {
    if (part !== undefined) throw new NvrdError("BAD_REQUEST", "_HLS_part needs _HLS_msn");
    return undefined;
  }
  return part === undefined ? { sequence } : { sequence, part };
}
