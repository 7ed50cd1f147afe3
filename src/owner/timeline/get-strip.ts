import { hash } from "node:crypto";
import { type Interval, NvrdError, US_PER_MS } from "../../base/index.js";
import type { StripHeader } from "../../contract/answer/index.js";
import { stripQuery } from "../../contract/query/index.js";
import { type Headers, namesEtag } from "../../http/index.js";
import { INDEX_IS_OPENING, RECORDED_HINT, refusedViewing, requireIndex } from "../../player/index.js";
import {
  answerPicture,
  describeQuery,
  type EndpointResult,
  header,
  NO_PICTURE_TEXT,
  type RequestContext,
  type Route,
  type RouteRight,
  readQuery,
  requireArchiveRight,
  requireRecordedChannel,
  sayLack,
  TEXT,
  untilGone,
} from "../../route/index.js";
import type { Camera } from "../../site/index.js";
import { spanOf } from "./request-times.js";
import type { Strip, StripRequest } from "./strips.js";
import type { TimelineNeeds } from "./timelines.js";
import { visibleStreams } from "./visible-streams.js";

/** How long a browser keeps a strip that no longer changes, without asking again. */
const KEPT_SECONDS = 86_400;

const RIGHTS: readonly RouteRight[] = [
  { right: "CanReceiveMainStream", when: "only the main stream is recorded" },
];

export const STRIP_ROUTE: Route<TimelineNeeds> = {
  method: "GET",
  path: "/api/strip",
  login: "user",
  rights: RIGHTS,

  describe: {
    topic: "timeline",
    summary: "Returns pictures along a time as one JPEG, to show while somebody moves over a timeline",
    access:
      "The channel must be allowed in the archive. Without `CanReceiveMainStream` no picture of the main stream is shown.",
    text: [
      "An addition of nvrd's. The time is divided into `count` parts of the same length. Each has one picture in the JPEG, that of the key frame nearest to its middle: rows from left to right, below each other. The header `Strip` says where they are and when they were shown, as JSON:",
      "",
      '`{"Width":160,"Height":90,"Columns":10,"Times":[1795251600000.5,null]}`',
      "",
      "`Width` and `Height` are those of one picture, `Times` are Unix milliseconds; null: nothing is recorded of the part, its place is black.",
      "",
      "A strip of a time that is over may be kept for a day (`Cache-Control: immutable`); others have an `ETag` to ask with. The pictures are made one after another, and share memory and decoders with [`/site`](#get-site).",
    ],
    parameters: [
      ...describeQuery(stripQuery),
      header("If-None-Match", TEXT, "ETags: 304 if one is the strip's."),
    ],
    answer: { text: "The JPEG (JFIF).", content: { "image/jpeg": { type: "string", format: "binary" } } },
    errors: {
      204: NO_PICTURE_TEXT,
      404: "There is no such channel, or nothing is recorded of the time.",
      429: "Too many strips are being made (2, and 32 that wait).",
      503: `${INDEX_IS_OPENING} Or a picture cannot be made, as for \`/site\`.`,
    },
    example: [
      'curl -fu "$AUTH" "$NVRD/api/strip?channel=$CHANNEL&from=$FROM&to=$TO&count=10&width=160" --output strip.jpg',
    ],
  },
  /** GET /api/strip: pictures of key frames along a time, in one JPEG. */
  async endpoint(context) {
    const { needs, request, response, principal } = context;
    const { channel, from, to, count, width, optional } = readQuery(request.query, stripQuery);
    const camera = requireRecordedChannel(channel, needs, principal);
    requireArchiveRight(principal, camera);
    const asked = {
      ...spanOf(from, to),
      channelId: camera.id,
      count,
      width,
      streams: visibleStreams(principal, camera),
    };
    requireIndex(needs.archive, asked.fromUs);
    sayLack(context);
    return await answerPicture(response, optional, () => madeStrip(context, camera, asked));
  },
};

/** Rejects with NvrdError NOT_FOUND if nothing is recorded. */
async function madeStrip(
  context: RequestContext<TimelineNeeds>,
  camera: Camera,
  asked: StripRequest,
): Promise<EndpointResult> {
  const { needs, request } = context;
  const strip = await needs.strips.make(asked, untilGone(context));
  const isWhole = needs.archive.indexLack() === undefined;
  if (strip !== undefined)
    return await answerStrip(strip, { asked: request.header("if-none-match"), isWhole });
  requireReceivable(context, camera, asked);
  throw new NvrdError("NOT_FOUND", `nothing is recorded of channel ${camera.name} at this time`, {
    hint: RECORDED_HINT,
  });
}

/** Throws NvrdError FORBIDDEN if the time is recorded, but of the main stream alone, which the user may not receive. */
function requireReceivable(
  { needs, principal }: RequestContext<TimelineNeeds>,
  { id: channelId, name }: Camera,
  { fromUs, toUs }: Interval,
): void {
  const main = { channelId, streamType: "Main" } as const;
  const refusal = refusedViewing(principal, { of: main, sound: false, archived: true });
  if (refusal === undefined || needs.archive.fragments(main, fromUs, toUs).length === 0) return;
  throw new NvrdError("FORBIDDEN", `${refusal} channel ${name}`);
}

async function answerStrip(
  strip: Strip,
  { asked, isWhole }: { readonly asked: string | undefined; readonly isWhole: boolean },
): Promise<EndpointResult> {
  const { width, height, columns, shownUs, isSettled } = strip;
  const etag = `"${hash("sha256", `${width} ${height} ${strip.tag}`).slice(0, 32)}"`;
  const stripHeader: StripHeader = {
    ...{ Width: width, Height: height, Columns: columns },
    Times: shownUs.map((timeUs) => (timeUs === undefined ? null : timeUs / US_PER_MS)),
  };
  const headers: Headers = [
    ["Content-Type", "image/jpeg"],
    [
      "Cache-Control",
      isSettled && isWhole ? `private, max-age=${KEPT_SECONDS}, immutable` : "private, no-cache",
    ],
    ["Vary", "Authorization, Cookie"],
    ["ETag", etag],
    ["Strip", JSON.stringify(stripHeader)],
  ];
  if (namesEtag(asked, etag, { weak: true })) return { status: 304, headers, body: new Uint8Array(0) };
  return { status: 200, headers, body: await strip.jpeg() };
}
