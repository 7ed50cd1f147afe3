import { type Language, US_PER_SECOND } from "../../base/index.js";
import { type Health, health } from "../../contract/answer/index.js";
import { healthQuery } from "../../contract/query/index.js";
import {
  type HealthFigures,
  healthReport,
  PROBLEM_WORDS,
  type StreamHealth,
  visibleFigures,
} from "../../health/index.js";
import { keyWaitText, lossWords } from "../../live/index.js";
import {
  answerJson,
  capitalized,
  describeQuery,
  jsonAnswer,
  type Route,
  readParameter,
  schemaOf,
} from "../../route/index.js";
import { PROBLEM_ROWS } from "./problem-rows.js";
import type { HealthNeeds } from "./states.js";

export const HEALTH_ROUTE: Route<HealthNeeds> = {
  method: "GET",
  path: "/api/health",
  login: "user",

  describe: {
    topic: "system",
    summary: "Reports the health of the recorder, its problems and what to do about them",
    access: "Channels that the user may not see are not listed or counted ([rights](rights.md)).",
    text: [
      "An addition of nvrd's. The answer comes from memory, the index and a few files of the kernel, and is at most a second old; no disk is accessed. Null means unknown. The status is always 200: check `State`.",
      "",
      "The present rate is that of the last 24 hours, or since the start where that is shorter. In the first minute there is none.",
      "",
      "| `Code` | severity | when | what to do |",
      "|---|---|---|---|",
      ...PROBLEM_ROWS,
    ],
    parameters: describeQuery(healthQuery),
    answer: jsonAnswer(schemaOf(health), "The state. These members, and those that their descriptions name:"),
    example: ['curl -fu "$AUTH" "$NVRD/api/health"'],
  },
  /** GET /api/health: the health of the recorder. Channels that the user may not see are not listed or counted. */
  async endpoint(context) {
    const { needs, principal, request } = context;
    const language = readParameter(request.query, healthQuery, "language");
    const figures = visibleFigures(await needs.monitoring.figures(), (id) => principal.maySee(id));
    return answerJson<Health>(healthObject(figures, language));
  },
};

/** The answer of GET /api/health for these figures. */
export function healthObject(figures: HealthFigures, language: Language): Health {
  const report = healthReport(figures);
  const inWords = (stream: StreamHealth) => ({
    ...stream,
    reason: stream.state === "waiting" ? waitingWords(stream, language) : stream.reason,
    losses: stream.losses.map((loss) => {
      const [text, remedy] = lossWords(loss, language);
      return { ...loss, text, remedy };
    }),
  });
  const problems = report.problems.map((problem) => {
    const [title, remedy] = PROBLEM_WORDS[language][problem.code];
    return { ...problem, title, remedy };
  });
  const list = report.cameras.list.map((camera) => ({ ...camera, streams: camera.streams.map(inWords) }));
  return capitalized({ ...report, problems, cameras: { ...report.cameras, list } });
}

function waitingWords({ keyIntervalSeconds }: StreamHealth, language: Language): string {
  return keyWaitText(keyIntervalSeconds === null ? undefined : keyIntervalSeconds * US_PER_SECOND, language);
}
