import { formatIsoTime, type Guid, NvrdError, parseGuid } from "../../base/index.js";
import { requireEventLog } from "../../compat/index.js";
import { type Query, shown } from "../../http/index.js";
import { visibleCameras } from "../../player/index.js";
import type { MotionBox } from "../../recording/index.js";
import {
  answerJson,
  FLAG,
  GUID,
  guidsWithCommas,
  ISO_TIME,
  type JsonSchema,
  jsonAnswer,
  listOf,
  meaning,
  objectOf,
  orNull,
  query,
  type Route,
  range,
  readDecimal,
  TEXT,
  TIME,
  textUpTo,
} from "../../route/index.js";
import { type Camera, cameraOptions } from "../../site/index.js";
import {
  BOX,
  boxObject,
  FINDING_ID_PATTERN,
  type FoundThing,
  findingId,
  KIND,
  kindName,
  readFindingId,
} from "./finding-object.js";
import { EVENTS_READ_MAX, type FindingQuery, searchFindings } from "./finding-search.js";
import type { AnalysisNeeds } from "./needs.js";

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 200;
const LABELS_MAX = 16;
const TEXT_LENGTH_MAX = 64;
/** As many as the address of a request holds, with other parameters beside them. */
const CHANNELS_MAX = 200;
const LABEL = `[^,]{0,${TEXT_LENGTH_MAX}}`;
const LABELS_PATTERN = `^${LABEL}(?:,${LABEL}){0,${LABELS_MAX - 1}}$`;

const FINDING = objectOf({
  Id: meaning("For its [picture](#get-apifindingsidpicture).", TEXT),
  EventId: meaning("The [type of its event](events.md).", GUID),
  ChannelId: GUID,
  ChannelName: TEXT,
  Time: ISO_TIME,
  Kind: KIND,
  Label: meaning("In the analyser's words.", TEXT),
  Confidence: meaning("Percent.", orNull(range(0, 100))),
  Number: meaning("Of a plate.", orNull(TEXT)),
  Name: meaning("Whose face it is.", orNull(TEXT)),
  Box: meaning("Where, as parts of the picture.", orNull(BOX)),
  Comment: TEXT,
  HasPicture: FLAG,
});

const PART = range(0, 1);
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
    parameters: [
      query(
        "channelids",
        guidsWithCommas(CHANNELS_MAX),
        `Ids of channels, at most ${CHANNELS_MAX}, with commas. When left out: all that the user sees.`,
      ),
      query(
        "labels",
        { type: "string", pattern: LABELS_PATTERN },
        `Labels (\`car\`, \`dog\`) or kinds (\`plate\`, \`face\`, \`person\`, \`vehicle\`, \`object\`), at most ${LABELS_MAX}, with commas.`,
      ),
      query("starttime", TIME, "Included. When left out: the first event."),
      query("endtime", TIME, "Included. When left out: now."),
      query("left", PART, "A region of the picture: what touches it is found. All four sides, or none."),
      query("top", PART, "Of the region."),
      query("width", PART, "Of the region."),
      query("height", PART, "Of the region."),
      query("minconfidence", { ...range(0, 100), default: 0 }, "Percent."),
      query("number", textUpTo(TEXT_LENGTH_MAX), "A part of a plate's number, in any case."),
      query("name", textUpTo(TEXT_LENGTH_MAX), "A part of the name of a face, in any case."),
      query("limit", { ...range(1, LIMIT_MAX, "integer"), default: LIMIT_DEFAULT }, "Findings of a page."),
      query("before", { type: "string", pattern: FINDING_ID_PATTERN }, "`Next` of the page before."),
    ],
    together: [WHOLE_REGION],
    answer: jsonAnswer(
      objectOf({
        Findings: listOf(FINDING),
        Next: meaning("`before` of the next page. Null: this is the last.", orNull(TEXT)),
        NotSearched: meaning("Channels whose interactive search is off.", listOf(GUID)),
      }),
      "A page of findings.",
    ),
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
    const asked = askedCameras(request.query, visibleCameras(needs.site.current, principal));
    const isSearched = (camera: Camera): boolean => cameraOptions(camera).analyze.interactiveSearchEnabled;
    const channelIds = new Set<Guid>(asked.filter(isSearched).map(({ id }) => id));
    const wanted = { ...readFindingQuery(request.query, needs.clock.nowUs()), channelIds };
    const { found, next } =
      channelIds.size === 0
        ? { found: [], next: undefined }
        : await searchFindings(needs.eventSearches, principal, wanted);
    return answerJson({
      Findings: found.map(describeFound),
      Next: next === undefined ? null : `${next.timeUs}-${next.sequence}`,
      NotSearched: asked.filter((camera) => !isSearched(camera)).map(({ id }) => id),
    });
  },
};

function describeFound(found: FoundThing): object {
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

function askedCameras(asked: Query, visible: readonly Camera[]): readonly Camera[] {
  const text = asked.getFilled("channelids");
  if (text === undefined || text.trim() === "") return visible;
  const texts = text.split(",", CHANNELS_MAX + 1);
  if (texts.length > CHANNELS_MAX)
    throw new NvrdError("BAD_REQUEST", `channelids: more than ${CHANNELS_MAX}`);
  const cameras = texts.map((one) => {
    const id = parseGuid(one.trim());
    if (id === undefined) throw new NvrdError("BAD_REQUEST", `channelids: "${shown(one)}" is not a GUID`);
    const camera = visible.find((candidate) => candidate.id === id);
    if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${id}`);
    return camera;
  });
  return [...new Set(cameras)];
}

function readFindingQuery(asked: Query, nowUs: number): Omit<FindingQuery, "channelIds"> {
  const fromUs = asked.time("starttime") ?? 0;
  // What begins in the future is searched like any other time, and holds nothing.
  const toUs = asked.time("endtime") ?? Math.max(nowUs, fromUs);
  if (fromUs > toUs) throw new NvrdError("CONFLICT", "starttime is later than endtime", { hint: "" });
  const before = asked.getFilled("before");
  const position = before === undefined ? undefined : readFindingId(before);
  if (before !== undefined && position === undefined)
    throw new NvrdError("BAD_REQUEST", "before is not the Next of a page");
  return {
    fromUs,
    toUs: position === undefined ? toUs : Math.min(toUs, position.timeUs),
    labels: readLabels(asked),
    minConfidence: readNumber(asked, "minconfidence", 100) ?? 0,
    number: readText(asked, "number")?.replace(/\s/gu, ""),
    name: readText(asked, "name"),
    region: readRegion(asked),
    limit: readLimit(asked),
    before: position,
  };
}

function readLabels(asked: Query): ReadonlySet<string> {
  const text = asked.getFilled("labels") ?? "";
  if (!new RegExp(LABELS_PATTERN, "su").test(text))
    throw new NvrdError(
      "BAD_REQUEST",
      `labels: at most ${LABELS_MAX} labels of ${TEXT_LENGTH_MAX} characters, with commas`,
    );
  const labels = text.split(",").map((label) => label.trim().toLowerCase());
  return new Set(labels.filter((label) => label !== ""));
}

function readText(asked: Query, name: string): string | undefined {
  const text = asked.getFilled(name);
  if (text !== undefined && text.length > TEXT_LENGTH_MAX)
    throw new NvrdError("BAD_REQUEST", `${name}: more than ${TEXT_LENGTH_MAX} characters`);
  return text?.trim().toLowerCase() || undefined;
}

function readNumber(asked: Query, name: string, max: number): number | undefined {
  const text = asked.getFilled(name);
  if (text === undefined) return undefined;
  const value = readDecimal(text);
  if (value >= 0 && value <= max) return value;
  throw new NvrdError(
    "BAD_REQUEST",
    `parameter "${name}" is "${shown(text)}": use a number from 0 to ${max}`,
  );
}

function readLimit(asked: Query): number {
  const value = readNumber(asked, "limit", LIMIT_MAX) ?? LIMIT_DEFAULT;
  if (Number.isInteger(value) && value > 0) return value;
  throw new NvrdError("BAD_REQUEST", `parameter "limit": use a whole number from 1 to ${LIMIT_MAX}`);
}

function readRegion(asked: Query): MotionBox | undefined {
  const [left, top, width, height] = SIDES.map((name) => readNumber(asked, name, 1));
  if (left === undefined && top === undefined && width === undefined && height === undefined)
    return undefined;
  if (left === undefined || top === undefined || width === undefined || height === undefined)
    throw new NvrdError("BAD_REQUEST", "give all of left, top, width and height, or none");
  return { left, top, width, height };
}
