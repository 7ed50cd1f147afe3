import { formatIsoTime, type Guid, NvrdError } from "../../base/index.js";
import { requireEventLog } from "../../compat/index.js";
import { type Finding, type Findings, findings } from "../../contract/answer/index.js";
import { type Asked, findingsQuery } from "../../contract/query/index.js";
import { visibleCameras } from "../../player/index.js";
import type { MotionBox } from "../../recording/index.js";
import {
  answerJson,
  describeQuery,
  type JsonSchema,
  jsonAnswer,
  type Route,
  readQuery,
  schemaOf,
} from "../../route/index.js";
import { type Camera, cameraOptions } from "../../site/index.js";
import { boxObject, type FoundThing, findingId, kindName, readFindingId } from "./finding-object.js";
import { EVENTS_READ_MAX, type FindingQuery, searchFindings } from "./finding-search.js";
import type { AnalysisNeeds } from "./needs.js";

type AskedFindings = Asked<typeof findingsQuery>;

const SIDES = ["left", "top", "width", "height"] as const;
/** All four sides, or none. */
const WHOLE_REGION: JsonSchema = {
  anyOf: [{ required: SIDES }, { not: { anyOf: SIDES.map((name) => ({ required: [name] })) } }],
};
export const FINDINGS_ROUTE: Route<AnalysisNeeds> = {
  method: "GET",
  path: "/api/findings",
  login: "user",
  rights: [{ right: "CanAccessUnifiedLog" }],

  describe: {
    topic: "analysis",
    summary: "Searches for what was found in the pictures of cameras",
    access: "Only channels that the user may see are searched.",
    text: [
      "Plates, faces, persons, vehicles and other objects by label, place and time, the newest first: what [analysers](analysers.md) found, and what programs added by [`POST /api/events`](#post-apievents).",
      "",
      "Cameras with `InteractiveSearchEnabled` are searched; the others are named in `NotSearched`.",
      "",
      `A request reads ${EVENTS_READ_MAX} events at most. A page may therefore be short, or empty, and have a \`Next\` all the same: go on until \`Next\` is null.`,
    ],
    parameters: describeQuery(findingsQuery),
    together: [WHOLE_REGION],
    answer: jsonAnswer(schemaOf(findings), "A page of findings."),
    errors: {
      404: "There is no such channel.",
      409: "`starttime` is later than `endtime`.",
      503: "The event log is being opened, or too many searches are running.",
    },
    example: [
      'curl -fu "$AUTH" "$NVRD/api/findings?labels=person,car&starttime=$FROM&left=0.5&top=0&width=0.5&height=1"',
    ],
  },
  /** GET /api/findings */
  async endpoint({ needs, request, principal }) {
    requireEventLog(principal);
    const query = readQuery(request.query, findingsQuery);
    const asked = askedCameras(query.channelids ?? [], visibleCameras(needs.site.current, principal));
    const isSearched = (camera: Camera): boolean => cameraOptions(camera).analyze.interactiveSearchEnabled;
    const channelIds = new Set<Guid>(asked.filter(isSearched).map(({ id }) => id));
    const wanted = { ...findingQuery(query, needs.clock.nowUs()), channelIds };
    const { found, next } =
      channelIds.size === 0
        ? { found: [], next: undefined }
        : await searchFindings(needs.eventSearches, principal, wanted);
    return answerJson<Findings>({
      Findings: found.map(describeFound),
      Next: next === undefined ? null : `${next.timeUs}-${next.sequence}`,
      NotSearched: asked.filter((camera) => !isSearched(camera)).map(({ id }) => id),
    });
  },
};

function describeFound(found: FoundThing): Finding {
  const { event } = found;
  return {
    Id: findingId(event),
    EventId: event.typeId,
    ChannelId: event.channelId,
    ChannelName: event.channelName,
    Time: formatIsoTime(event.timeUs),
    Kind: kindName(found.kind),
    Label: found.label,
    Confidence: found.confidence ?? null,
    Number: found.number ?? null,
    Name: found.name ?? null,
    Box: found.box === undefined ? null : boxObject(found.box),
    Comment: event.comment,
    HasPicture: found.hasPicture,
  };
}

function askedCameras(ids: readonly Guid[], visible: readonly Camera[]): readonly Camera[] {
  if (ids.length === 0) return visible;
  const cameras = ids.map((id) => {
    const camera = visible.find((candidate) => candidate.id === id);
    if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${id}`);
    return camera;
  });
  return [...new Set(cameras)];
}

function findingQuery(asked: AskedFindings, nowUs: number): Omit<FindingQuery, "channelIds"> {
  const fromUs = asked.starttime ?? 0;
  // What begins in the future is searched like any other time, and holds nothing.
  const toUs = asked.endtime ?? Math.max(nowUs, fromUs);
  if (fromUs > toUs) throw new NvrdError("CONFLICT", "starttime is later than endtime", { hint: "" });
  const before = asked.before === undefined ? undefined : readFindingId(asked.before);
  const { minconfidence: minConfidence, limit } = asked;
  return {
    fromUs,
    toUs: before === undefined ? toUs : Math.min(toUs, before.timeUs),
    labels: labelsOf(asked.labels ?? ""),
    minConfidence,
    number: searchedText(asked.number)?.replace(/\s/gu, ""),
    name: searchedText(asked.name),
    region: regionOf(asked),
    limit,
    before,
  };
}

function labelsOf(text: string): ReadonlySet<string> {
  const labels = text.split(",").map((label) => label.trim().toLowerCase());
  return new Set(labels.filter((label) => label !== ""));
}

function searchedText(text: string | undefined): string | undefined {
  return text?.trim().toLowerCase() || undefined;
}

function regionOf({ left, top, width, height }: AskedFindings): MotionBox | undefined {
  if (left === undefined && top === undefined && width === undefined && height === undefined)
    return undefined;
  if (left === undefined || top === undefined || width === undefined || height === undefined)
    throw new NvrdError("BAD_REQUEST", "give all of left, top, width and height, or none");
  return { left, top, width, height };
}
