import { type Guid, NvrdError, parseGuid, US_PER_DAY, US_PER_MS } from "../../base/index.js";
import {
  type MotionSearch,
  type MotionSearches,
  motionSearch,
  motionSearches,
} from "../../contract/answer/index.js";
import { shown } from "../../http/index.js";
import { recordedCamera, requireIndex } from "../../player/index.js";
import { readMotionZones } from "../../recording/index.js";
import {
  answerJson,
  BodyReader,
  Faults,
  GUID,
  type JsonSchema,
  jsonAnswer,
  listOf,
  MOMENT,
  meaning,
  momentOf,
  objectOf,
  parseJsonBody,
  type RequestContext,
  type Route,
  range,
  requireArchiveRight,
  sayLack,
  schemaOf,
} from "../../route/index.js";
import type { MotionSearchEntry } from "./motion-searches.js";
import { readRegion } from "./search-region.js";
import type { TimelineNeeds } from "./timelines.js";
import { visibleStreams } from "./visible-streams.js";

const SPAN_US_MAX = 31 * US_PER_DAY;
const TIME_LENGTH_MAX = 40;
const GUID_LENGTH_MAX = 38;
const ACCEPTED = 202;

const ACCESS = "The channel must be allowed in the archive. Searches belong to the user who began them.";
const PATH_VALUES = { id: "The search's id." };
const NOT_FOUND = "There is no such search of yours: it was deleted, or ended more than an hour ago.";
const AREA = meaning(
  "A polygon of 3 to 64 points, or a rectangle, which ends with the picture. 0, 0 is the upper left corner of the picture, 1, 1 the lower right one. An area that is less than 0.02 wide or high counts as one that is.",
  {
    oneOf: [
      objectOf({ Points: { ...listOf(objectOf({ X: range(0, 1), Y: range(0, 1) }), 64), minItems: 3 } }),
      objectOf({ Left: range(0, 1), Top: range(0, 1), Width: range(0, 1), Height: range(0, 1) }),
    ],
  },
);
/** Its microseconds are a whole number still. */
const UNIX_MS_MAX = Math.floor(Number.MAX_SAFE_INTEGER / US_PER_MS);
/** Unix milliseconds, or a time as text. */
const A_TIME: JsonSchema = { oneOf: [range(0, UNIX_MS_MAX), MOMENT] };

const START_EXAMPLE = [
  'ID=$(curl -fsS -u "$AUTH" "$NVRD/api/motionsearch" --data \'{"Channel": "\'$CHANNEL\'", "From": "\'$FROM\'", "To": "\'$TO\'"}\' | member Id)',
];

export const MOTION_SEARCH_ROUTES: readonly Route<TimelineNeeds>[] = [
  {
    method: "POST",
    path: "/api/motionsearch",
    login: "user",
    leavesNothing: true,

    describe: {
      topic: "timeline",
      summary: "Begins to search recordings for motion in a part of the picture",
      access: `${ACCESS} Without \`CanReceiveMainStream\` the main stream is not searched.`,
      text: [
        "An addition of nvrd's. If the recorder's motion detector has stored that motion began in the region in this time, its events answer at once. Otherwise, or with `Pictures`, key frames are decoded and compared with each other, one at a time and only while nobody waits for a picture, at most 20,000 of them: a second apart, or farther in a longer time. Where something moved elsewhere in the picture from one key frame to the next, pictures between them are compared too. `Apart` says how long nothing was looked at.",
        "",
        "Ask for the progress once a second or less. One search runs at a time, others wait; each ends after an hour.",
      ],
      body: {
        required: true,
        text: "`From` and `To` are Unix milliseconds or a time as text, at most 31 days apart.",
        schema: objectOf(
          {
            Channel: GUID,
            From: A_TIME,
            To: A_TIME,
            Region: meaning("The parts of the picture. Left out: all of it.", listOf(AREA, 16)),
            Sensitivity: { ...range(1, 100), default: 50, description: "100 finds the smallest changes." },
            Pictures: {
              type: "boolean",
              default: false,
              description:
                "Compare pictures even if stored events say that motion began there: they say nothing of where it went.",
            },
          },
          ["Channel", "From", "To"],
        ),
      },
      answer: { ...jsonAnswer(schemaOf(motionSearch), "The search has begun."), status: ACCEPTED },
      errors: {
        404: "There is no such channel.",
        409: "`To` is not later than `From`, or by more than 31 days.",
        429: "4 searches of yours, or 16 of all users, are under way.",
        503: "The index of recordings is not open yet (`Retry-After`).",
      },
      example: [
        'curl -fu "$AUTH" "$NVRD/api/motionsearch" --data \'{',
        '  "Channel": "\'$CHANNEL\'", "From": "\'$FROM\'", "To": "\'$TO\'",',
        '  "Region": [{ "Left": 0.25, "Top": 0.5, "Width": 0.5, "Height": 0.5 }], "Sensitivity": 60}\'',
      ],
    },
    /** POST /api/motionsearch: begins a search. */
    endpoint(context) {
      const { needs, request, principal } = context;
      const faults = new Faults();
      const body = new BodyReader(parseJsonBody(request.body), "", faults);
      const channel = readChannel(body);
      const fromUs = readTime(body, "From");
      const toUs = readTime(body, "To");
      const region = readRegion(body, faults);
      const pictures = body.boolean("Pictures") ?? false;
      if (fromUs !== undefined && toUs !== undefined && !(toUs > fromUs && toUs - fromUs <= SPAN_US_MAX))
        body.fault("To", "later than From, by at most 31 days", "CONFLICT");
      faults.throwIfAny();
      if (channel === undefined || fromUs === undefined || toUs === undefined)
        throw new NvrdError("BAD_REQUEST", "Channel, From and To are missing");
      const camera = recordedCamera(needs, principal, channel);
      if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${channel}`);
      requireArchiveRight(principal, camera);
      const streams = visibleStreams(principal, camera);
      requireIndex(needs.archive, fromUs);
      sayLack(context);
      const { zones } = readMotionZones(region);
      const question = { channelId: camera.id, fromUs, toUs, streams, zones, fromEvents: !pictures };
      const entry = needs.motionSearches.start(principal.user.id, question);
      return { ...answerJson<MotionSearch>(searchObject(entry)), status: ACCEPTED };
    },
  },
  {
    method: "GET",
    path: "/api/motionsearch",
    login: "user",

    describe: {
      topic: "timeline",
      summary: "Lists your searches for motion, the newest first",
      answer: jsonAnswer(schemaOf(motionSearches), "The searches."),
      example: ['curl -fu "$AUTH" "$NVRD/api/motionsearch"'],
    },
    /** GET /api/motionsearch: the user's searches whose channels are still open to them. */
    endpoint({ needs, principal }) {
      const found = needs.motionSearches.of(principal.user.id);
      return answerJson<MotionSearches>(
        found.filter(({ question }) => principal.mayWatchArchive(question.channelId)).map(searchObject),
      );
    },
  },
  {
    method: "GET",
    path: "/api/motionsearch/{id}",
    login: "user",

    describe: {
      topic: "timeline",
      summary: "Returns how far a search for motion is, and what it has found",
      access: ACCESS,
      pathValues: PATH_VALUES,
      answer: jsonAnswer(schemaOf(motionSearch), "The search."),
      errors: { 404: NOT_FOUND },
      example: [...START_EXAMPLE, 'curl -fu "$AUTH" "$NVRD/api/motionsearch/$ID"'],
    },
    /** GET /api/motionsearch/{id}. */
    endpoint(context) {
      return answerJson<MotionSearch>(searchObject(requireSearch(context)));
    },
  },
  {
    method: "DELETE",
    path: "/api/motionsearch/{id}",
    login: "user",
    leavesNothing: true,

    describe: {
      topic: "timeline",
      summary: "Ends and forgets a search for motion",
      access: ACCESS,
      text: [
        "The answer has what was found up to then. `State` is `cancelled`, or how the search had ended before. Later requests for it are answered with 404.",
      ],
      pathValues: PATH_VALUES,
      answer: jsonAnswer(schemaOf(motionSearch), "The search as it ended."),
      errors: { 404: NOT_FOUND },
      example: [...START_EXAMPLE, 'curl -fu "$AUTH" -X DELETE "$NVRD/api/motionsearch/$ID"'],
    },
    /** DELETE /api/motionsearch/{id}. */
    endpoint(context) {
      const { needs, principal } = context;
      const entry = requireSearch(context);
      needs.motionSearches.remove(principal.user.id, entry.id);
      return answerJson<MotionSearch>(searchObject(entry));
    },
  },
];

/** Throws NvrdError NOT_FOUND; FORBIDDEN if the channel's archive is no longer open to the user. */
function requireSearch({ needs, principal, pathValues }: RequestContext<TimelineNeeds>): MotionSearchEntry {
  const text = pathValues.get("id") ?? "";
  const id: Guid | undefined = parseGuid(text);
  const entry = id === undefined ? undefined : needs.motionSearches.get(principal.user.id, id);
  if (entry === undefined) throw new NvrdError("NOT_FOUND", `you have no search ${shown(text)}`);
  if (!principal.mayWatchArchive(entry.question.channelId))
    throw new NvrdError("FORBIDDEN", "you may not watch the archive of this channel");
  return entry;
}

function readChannel(body: BodyReader): Guid | undefined {
  const text = body.text("Channel", GUID_LENGTH_MAX);
  if (text === undefined)
    return body.value("Channel") === undefined ? body.fault("Channel", "is missing") : undefined;
  return parseGuid(text) ?? body.fault("Channel", "a GUID");
}

function readTime(body: BodyReader, name: string): number | undefined {
  const value = body.value(name);
  if (value === undefined) return body.fault(name, "is missing");
  if (typeof value === "number") {
    const isMoment = value >= 0 && value <= UNIX_MS_MAX;
    return isMoment ? Math.round(value * US_PER_MS) : body.fault(name, `0 to ${UNIX_MS_MAX}`);
  }
  const text = body.text(name, TIME_LENGTH_MAX);
  if (text === undefined) return undefined;
  return momentOf(text, "unix") ?? body.fault(name, "a time: Unix milliseconds, or 2026-11-21T09:00:00Z");
}

function searchObject({ id, question, finds, state, error }: MotionSearchEntry): MotionSearch {
  const { channelId, fromUs, toUs } = question;
  const { spans, source, reachedUs, isCut, apartUs } = finds;
  return {
    ...{ Id: id, ChannelId: channelId, From: fromUs / US_PER_MS, To: toUs / US_PER_MS, State: state },
    Progress: state === "done" ? 1 : Math.min(1, (reachedUs - fromUs) / (toUs - fromUs)),
    Source: source ?? null,
    Spans: spans.map((span) => ({
      From: span.fromUs / US_PER_MS,
      To: span.toUs / US_PER_MS,
      At: span.atUs / US_PER_MS,
    })),
    Apart: apartUs === 0 ? null : apartUs / US_PER_MS,
    IsCut: isCut,
    Error: error ?? null,
  };
}
