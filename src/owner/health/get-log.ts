import { formatIsoTime } from "../../base/index.js";
import { LOG_LINES_MAX, log, type ServiceLog } from "../../contract/answer/index.js";
import { logQuery } from "../../contract/query/index.js";
import { answerJson, describeQuery, jsonAnswer, type Route, readQuery, schemaOf } from "../../route/index.js";
import type { Camera } from "../../site/index.js";
import type { HealthNeeds, ServiceLogLine } from "./states.js";

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
    parameters: describeQuery(logQuery),
    answer: jsonAnswer(schemaOf(log), "The lines."),
    example: ['curl -fu "$AUTH" "$NVRD/api/system/log?level=warning&limit=20"'],
  },
  /** GET /api/system/log: the log for administrators. */
  async endpoint({ needs, request }) {
    const { level, channel: channelId, text, since: sinceUs, limit } = readQuery(request.query, logQuery);
    const page = await needs.serviceLog.read({ level, channelId, text, sinceUs, limit });
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
