import { NvrdError } from "../../base/index.js";
import { requireEventLog } from "../../compat/index.js";
import { FINDING_ID_PATTERN } from "../../contract/query/index.js";
import type { EventRecord } from "../../event/index.js";
import { shown } from "../../http/index.js";
import type { RequestContext, Route } from "../../route/index.js";
import { FINDING_TYPES, readFindingId } from "./finding-object.js";
import type { AnalysisNeeds } from "./needs.js";

/** Events of one moment that are looked through. */
const MOMENT_EVENTS_MAX = 10_000;
/** A finding does not change. */
const KEPT_SECONDS = 86_400;

export const FINDING_PICTURE_ROUTE: Route<AnalysisNeeds> = {
  method: "GET",
  path: "/api/findings/{id}/picture",
  login: "user",
  rights: [{ right: "CanAccessUnifiedLog" }],

  describe: {
    topic: "analysis",
    summary: "Returns the picture of a finding",
    access: "The channel must be one that the user may see.",
    text: [
      "What was found, cut out of the camera's picture with a margin; at most 200 pixels a side where an analyser found it. [`POST /archive_events`](#post-archive_events) has the same picture in Base64.",
    ],
    pathValues: { id: "`Id` of [`/api/findings`](#get-apifindings)." },
    pathSchemas: { id: { type: "string", pattern: FINDING_ID_PATTERN } },
    answer: { text: "The JPEG (JFIF).", content: { "image/jpeg": { type: "string", format: "binary" } } },
    errors: { 404: "There is no such finding, or it has no picture." },
    example: [
      "# Where nothing with this id was found: 404.",
      'curl -fu "$AUTH" "$NVRD/api/findings/1795251600000000-100017/picture" --output finding.jpg',
    ],
  },
  /** GET /api/findings/{id}/picture */
  async endpoint(context) {
    requireEventLog(context.principal);
    const text = context.pathValues.get("id") ?? "";
    const event = await findEvent(context, text);
    const image = event?.fields?.ImageBytes;
    const jpeg = typeof image === "string" ? Buffer.from(image, "base64") : Buffer.alloc(0);
    // Programs may have added anything.
    if (jpeg[0] !== 0xff || jpeg[1] !== 0xd8)
      throw new NvrdError("NOT_FOUND", `there is no picture of a finding ${shown(text)}`, {
        hint: "HasPicture of GET /api/findings says which have one",
      });
    return {
      status: 200,
      headers: [
        ["Content-Type", "image/jpeg"],
        ["Cache-Control", `private, max-age=${KEPT_SECONDS}, immutable`],
        ["Vary", "Authorization, Cookie"],
      ],
      body: jpeg,
    };
  },
};

/** The event, if the user may receive it. */
async function findEvent(
  { needs, principal }: RequestContext<AnalysisNeeds>,
  text: string,
): Promise<EventRecord | undefined> {
  const position = readFindingId(text);
  if (position === undefined) return undefined;
  const { timeUs, sequence } = position;
  const moment = { fromUs: timeUs, toUs: timeUs, typeIds: FINDING_TYPES };
  const found = needs.eventSearches.search(principal, {
    ...moment,
    limit: MOMENT_EVENTS_MAX,
    fromBegin: true,
  });
  for await (const batch of found) {
    const event = batch.find((candidate) => candidate.sequence === sequence);
    if (event !== undefined) return event;
  }
  return undefined;
}
