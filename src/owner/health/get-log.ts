import { formatIsoTime, type Guid, NvrdError, parseGuid } from "../../base/index.js";
import {
  LOG_LEVELS,
  LOG_LINES_MAX,
  LOG_TEXT_LENGTH_MAX,
  log,
  type ServiceLog,
} from "../../contract/answer/index.js";
import { type Query, shown } from "../../http/index.js";
import {
  answerJson,
  choice,
  GUID,
  jsonAnswer,
  query,
  type Route,
  range,
  schemaOf,
  TIME,
  textUpTo,
} from "../../route/index.js";
import type { Camera } from "../../site/index.js";
import type { HealthNeeds } from "./needs.js";
import type { ServiceLogLine } from "./states.js";

const LINES_DEFAULT = 200;

export const LOG_ROUTE: Route<HealthNeeds> = {
  method: "GET",
  path: "/api/system/log",
  login: "administrator",

  describe: {
    topic: "system",
    summary: "Returns lines of the service's own log",
    text: [
      "An addition of nvrd's. For finding out why something does not work; what happened, and who did what, is in the [events](#post-archive_events). Passwords are not in the log.",
      "",
      `At most ${LOG_LINES_MAX} lines of the newest 50,000 that are as bad as \`level\`, read within 5 s.`,
    ],
    parameters: [
      query("level", { ...choice(LOG_LEVELS), default: "Information" }, "This bad or worse."),
      query("channel", GUID, "Lines that name this camera."),
      query("text", textUpTo(LOG_TEXT_LENGTH_MAX), "Lines with this in their text, in any case."),
      query(
        "since",
        TIME,
        "Lines from this time on: ISO 8601, or a time as elsewhere in this API. Default: all.",
      ),
      query(
        "limit",
        { ...range(1, LOG_LINES_MAX, "integer"), default: LINES_DEFAULT },
        "How many lines at most.",
      ),
    ],
    answer: jsonAnswer(schemaOf(log), "The lines."),
    example: ['curl -fu "$AUTH" "$NVRD/api/system/log?level=warning&limit=20"'],
  },
  /** GET /api/system/log: the log for administrators. */
  async endpoint({ needs, request }) {
    const { query: asked } = request;
    const page = await needs.serviceLog.read({
      level: asked.oneOf("level", LOG_LEVELS, "Information"),
      channelId: readChannel(asked),
      text: readText(asked),
      sinceUs: asked.time("since"),
      limit: readLimit(asked),
    });
    const { cameras } = needs.site.current;
    return answerJson<ServiceLog>({
      Source: page.source,
      HasMore: page.hasMore,
      Lines: page.lines.map((line) => lineObject(line, cameras)),
    });
  },
};

function lineObject(
  { timeUs, level, text }: ServiceLogLine,
  cameras: readonly Camera[],
): ServiceLog["Lines"][number] {
  const lower = text.toLowerCase();
  const camera = cameras.find(({ id }) => lower.includes(id));
  return { Time: formatIsoTime(timeUs), Level: level, Text: text, ChannelId: camera?.id ?? null };
}

function readChannel(asked: Query): Guid | undefined {
  const text = asked.getFilled("channel");
  const id = text === undefined ? undefined : parseGuid(text);
  if (text !== undefined && id === undefined)
    throw new NvrdError("BAD_REQUEST", `parameter "channel" is "${shown(text)}": give a camera's id`);
  return id;
}

function readText(asked: Query): string | undefined {
  const text = asked.getFilled("text");
  if (text !== undefined && text.length > LOG_TEXT_LENGTH_MAX)
    throw new NvrdError("BAD_REQUEST", `parameter "text" is longer than ${LOG_TEXT_LENGTH_MAX} characters`);
  return text;
}

function readLimit(asked: Query): number {
  const text = asked.getFilled("limit") ?? `${LINES_DEFAULT}`;
  const limit = Number(text);
  if (/^\d{1,4}$/.test(text) && limit >= 1 && limit <= LOG_LINES_MAX) return limit;
  throw new NvrdError("BAD_REQUEST", `parameter "limit" is "${shown(text)}": 1 to ${LOG_LINES_MAX}`);
}
