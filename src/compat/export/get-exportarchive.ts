import { hasRight, type Principal } from "../../access/index.js";
import { errorText, NvrdError, US_PER_HOUR, US_PER_MS } from "../../base/index.js";
import { exportParameters, exportQuery } from "../../contract/query/index.js";
import type { ViewerKind } from "../../health/index.js";
import { attachment, type Headers, type Query, type SizedResponse } from "../../http/index.js";
import { codecName } from "../../live/index.js";
import {
  isStillThere,
  RECORDED_HINT,
  receivableKey,
  refusedViewing,
  requireIndex,
} from "../../player/index.js";
import {
  archiveKey,
  describeQuery,
  type EndpointResult,
  header,
  ONE_CHANNEL,
  type RequestContext,
  type Route,
  type RouteRight,
  readParameter,
  readQuery,
  requireArchiveRight,
  sayLack,
  selectChannel,
  TEXT,
  untilGone,
  VIEWING_RIGHTS,
} from "../../route/index.js";
import { answerDigest, DIGEST } from "./export-digest.js";
import { EXPORT_DURATION_MAX_US, type ExportPlan, type ExportRequest } from "./export-plan.js";
import type { ExportNeeds } from "./exports.js";
import { answerSizedFile, pump } from "./sized-file.js";

/** How many files with one video codec each the time would be. */
const PARTS_HEADER = "X-Export-Parts";

/** What the pictures and the sound of the file are coded in. */
const CODECS_HEADER = "X-Export-Codecs";

/** Where the frames come from, if not all were recorded live. */
const ORIGIN_HEADER = "X-Export-Origin";
const ORIGINS = { camera: "Camera", both: "Recorder, Camera" } as const;

const RIGHTS: readonly RouteRight[] = [{ right: "CanUseArchiveExport" }, ...VIEWING_RIGHTS];

export const EXPORT_ARCHIVE_ROUTE: Route<ExportNeeds> = {
  method: "GET",
  path: "/exportarchive",
  login: "user",
  rights: RIGHTS,

  describe: {
    topic: "export",
    summary: "Returns the recordings of an interval as an MP4 file",
    access: "The channel must be allowed in the archive.",
    text: [
      "The file contains the frames as sent by the camera, and is generated while it is sent. It begins with the key frame at or before `fromtime` and ends before `totime`. Where nothing is recorded at `fromtime`, it begins with the first picture after it: nothing beyond the interval is added. Gaps in the recording keep their duration.",
      "",
      "- `Content-Length` is known beforehand. `Content-Disposition` offers a file name made of channel and time.",
      "- `Range` (one range; several are answered with the whole file), `If-Range`, `If-Match`, `If-None-Match` and HEAD work, so a download can be resumed and players can seek, as long as all of it is still recorded.",
      "- The `ETag` is strong: it changes with anything that the file is made of.",
      "- Without `streamtype` the file holds all that is recorded of the channel: each moment from the stream that has it, where several have from the one that is recorded now. Players show pictures of several sizes one after another.",
      "- Where the **codec** of the pictures changes (H.264 to MJPEG, say), the file has a video track for each codec, with all times right. Most players show only one track. `X-Export-Parts` says how many runs of one codec there are; `part=1`, `part=2` and so on give each as a file of its own, which players show whole.",
      "- `X-Export-Codecs` names the codecs of the file: `H.265, G.711 A-law`; µ-law is written `u-law`.",
      "- Where pictures were fetched from the camera's own archive into a gap, `X-Export-Origin` is `Camera`, or `Recorder, Camera`, and the file's comment says so.",
      "- When recordings are removed while they are sent, the answer ends before its length is reached.",
      "",
      "With `digest=true` the answer is the SHA-256 of that file, as JSON. The file is read once to compute it. Meanwhile blanks are sent before the object, which JSON allows, so that the connection does not look dead. The digest is cached.",
    ],
    parameters: [
      ...describeQuery(exportQuery),
      header("Range", TEXT, "The requested bytes, one range: the answer is 206."),
      header("If-Range", TEXT, "The ETag of the range. If it has changed, the whole file is sent."),
      header("If-Match", TEXT, "ETags: 412 if none is the file's."),
      header("If-None-Match", TEXT, "ETags: 304 if one is the file's."),
    ],
    together: [ONE_CHANNEL],
    answer: {
      text: "The file, or its digest.",
      content: { "video/mp4": { type: "string", format: "binary" }, "application/json": DIGEST },
    },
    errors: {
      404: "There is no such channel, stream or part, or nothing is recorded of the time.",
      412: "None of the ETags of `If-Match` is the file's.",
      416: "The range lies outside the file.",
      429: "Four exports of the user are running.",
      501: "The codec cannot be described to players.",
      503: "Eight exports are running, or the index of recordings is not open yet (`Retry-After`).",
    },
    example: [
      'curl -fu "$AUTH" -OJ "$NVRD/exportarchive?channelid=$CHANNEL&fromtime=$FROM&totime=$TO"',
      'curl -fu "$AUTH" "$NVRD/exportarchive?channelid=$CHANNEL&fromtime=$FROM&totime=$TO&digest=true"',
    ],
  },
  /**
   * GET /exportarchive: the recordings of an interval as an MP4 file, generated while it is sent, with a known length. With
   * `digest=true` the SHA-256 of that file instead.
   */
  async endpoint(context) {
    const { needs, request: http, principal } = context;
    const { query } = http;
    const request = readExportRequest(query, { needs, principal });
    sayLack(context);
    const digest = readParameter(query, exportQuery, "digest");
    const free = await needs.exports.takePlace(principal.user.id);
    // A place is free again when nothing is read for it any more, which may be later than the client has gone.
    let reading: Promise<void> | undefined;
    context.response.onClose(() => {
      if (reading === undefined) free();
      else void needs.exports.releaseAfter(reading, free);
    });
    try {
      const goesOn = digest || http.method === "HEAD" || http.header("range") !== undefined;
      const plan = await needs.exports.plan(request, { goesOn, gone: untilGone(context) });
      if (digest)
        return await answerDigest(context, plan, {
          free,
          watch: () => keepWatch(context, request, undefined),
        });
      return answerFile(context, plan, (done) => {
        reading = done;
      });
    } catch (error) {
      free();
      throw error;
    }
  },
};

/** What a query asks for, if the user may have it. Throws NvrdError. */
export function readExportRequest(
  query: Query,
  { needs, principal }: Pick<RequestContext<ExportNeeds>, "needs" | "principal">,
): ExportRequest {
  const camera = selectChannel(query, needs, principal);
  requireArchiveRight(principal, camera);
  const of = receivableKey(archiveKey(query, camera), principal);
  const { fromtime: fromUs, totime: askedToUs, sound, part } = readQuery(query, exportParameters);
  const toUs = endOf({ fromUs, askedToUs, nowUs: needs.clock.nowUs() });
  const exported = { of, channelName: camera.name, fromUs, toUs, askedToUs, sound, part };
  const refusal = refusedExport(principal, exported);
  if (refusal !== undefined) throw new NvrdError("FORBIDDEN", `${refusal} channel ${camera.name}`);
  // A file of what was recorded since the start alone would pass for one of the whole time.
  requireIndex(needs.archive, fromUs);
  return exported;
}

/** An end that is far in the future means now: programs ask so for all that there is. Throws NvrdError. */
function endOf(asked: {
  readonly fromUs: number;
  readonly askedToUs: number;
  readonly nowUs: number;
}): number {
  const { fromUs, askedToUs, nowUs } = asked;
  if (fromUs >= askedToUs)
    throw new NvrdError("NOT_FOUND", "nothing is recorded in no time: totime must be later than fromtime", {
      hint: "correct the named parameter",
    });
  if (askedToUs - fromUs <= EXPORT_DURATION_MAX_US) return askedToUs;
  if (fromUs >= nowUs)
    throw new NvrdError("NOT_FOUND", "fromtime lies in the future", { hint: RECORDED_HINT });
  const toUs = Math.min(askedToUs, nowUs);
  if (toUs - fromUs > EXPORT_DURATION_MAX_US) {
    const hours = EXPORT_DURATION_MAX_US / US_PER_HOUR;
    throw new NvrdError("BAD_REQUEST", `an export may be ${hours} hours long`, {
      hint: "request the rest as a separate file",
    });
  }
  return toUs;
}

export function refusedExport(
  principal: Principal,
  { of, sound }: Pick<ExportRequest, "of" | "sound">,
): string | undefined {
  if (!hasRight(principal, "CanUseArchiveExport"))
    return "you may not export recordings (right CanUseArchiveExport) of";
  return refusedViewing(principal, { of, sound, archived: true });
}

/** `begun`: called with the reading, where the file is sent; it resolves when nothing is read any more. */
function answerFile(
  context: RequestContext<ExportNeeds>,
  plan: ExportPlan,
  begun: (reading: Promise<void>) => void,
): EndpointResult {
  const { layout, etag } = plan;
  return answerSizedFile(
    context,
    { headers: headersOf(plan), etag, byteLength: layout.byteLength },
    {
      onBegin: () => keepWatch(context, plan.request, { over: "export", source: "recorded" }),
      send: (range, sized) => begun(send(context, plan, { ...range, sized })),
    },
  );
}

function headersOf(plan: ExportPlan): Headers {
  return [
    ["Content-Type", "video/mp4"],
    ["Content-Disposition", attachment(fileNameOf(plan), "mp4")],
    ["Accept-Ranges", "bytes"],
    ["ETag", plan.etag],
    [PARTS_HEADER, `${plan.partsCount}`],
    [CODECS_HEADER, codecsOf(plan)],
    ...(plan.origin === "recorder" ? [] : [[ORIGIN_HEADER, ORIGINS[plan.origin]] as const]),
    // What stands in it may be seen by this user alone, and only as long as it is recorded.
    ["Cache-Control", "private, no-cache"],
  ];
}

/** `H.265, G.711 A-law`; header fields have no Greek letters. */
function codecsOf({ units }: ExportPlan): string {
  const codecs = units.flatMap(({ options: { video, audio } }) => [
    video.codec,
    ...(audio ? [audio.codec] : []),
  ]);
  return [...new Set(codecs)].map((codec) => codecName(codec).replace("µ-law", "u-law")).join(", ");
}

/** `Gate 2026-11-21 09-00-00 to 10-00-00`, in the recorder's time; the second day is named where it is another one. */
export function fileNameOf({ request, partsCount }: Pick<ExportPlan, "request" | "partsCount">): string {
  const { channelName, fromUs, toUs, part } = request;
  const [fromDay = "", fromTime = ""] = dayAndTime(fromUs);
  const [toDay = "", toTime = ""] = dayAndTime(toUs);
  const of = part === undefined ? "" : ` part ${part} of ${partsCount}`;
  const to = toDay === fromDay ? toTime : `${toDay} ${toTime}`;
  return `${[...channelName].slice(0, CHANNEL_NAME_LENGTH_MAX).join("")} ${fromDay} ${fromTime} to ${to}${of}`;
}

/** Maximum length of the channel's name in a file name, to leave room for the times. */
const CHANNEL_NAME_LENGTH_MAX = 60;

function dayAndTime(timeUs: number): string[] {
  const time = new Date(Math.floor(timeUs / US_PER_MS));
  const texts = (...numbers: readonly number[]): string =>
    numbers.map((number) => String(number).padStart(2, "0")).join("-");
  return [
    texts(time.getFullYear(), time.getMonth() + 1, time.getDate()),
    texts(time.getHours(), time.getMinutes(), time.getSeconds()),
  ];
}

/** Sends in the background; an error aborts the answer, which the client detects by its length. Never rejects. */
async function send(
  context: RequestContext<ExportNeeds>,
  plan: ExportPlan,
  { from, to, sized }: { readonly from: number; readonly to: number; readonly sized: SizedResponse },
): Promise<void> {
  const { needs, principal, response } = context;
  const gone = untilGone(context);
  try {
    const recordSent = needs.exports.ledger.begin(
      { ...plan, byteLength: plan.layout.byteLength },
      principal.user,
    );
    response.onClose(() => recordSent({ from, to: from + sized.sentBytes }));
    await pump(needs.exports.bytes(plan, gone).read({ from, to }), sized);
  } catch (error) {
    // What is read for a client that has left is given up.
    if (gone.aborted) return;
    context.log.warn({ reason: errorText(error) }, "export aborted");
    sized.abort();
  }
}

/** Ends the answer when the user's rights or the channel are removed. */
function keepWatch(
  { needs, credentials, response }: RequestContext<ExportNeeds>,
  request: ExportRequest,
  viewer: ViewerKind | undefined,
): void {
  const { channelId } = request.of;
  const forget = needs.openStreams.add({
    credentials,
    viewer,
    mayContinue: (principal) =>
      principal.maySee(channelId) &&
      refusedExport(principal, request) === undefined &&
      isStillThere(needs, channelId),
    end: () => response.close(),
  });
  response.onClose(forget);
}
