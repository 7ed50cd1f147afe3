import * as v from "valibot";
import { formatIsoTime, type Guid, NvrdError } from "../../base/index.js";
import {
  answerJson,
  type EndpointResult,
  FLAG,
  GUID,
  guidOrNone,
  jsonAnswer,
  listOf,
  meaning,
  members,
  NUMBER,
  objectOf,
  orNull,
  type RequestContext,
  type Route,
  type RouteDescription,
  readBody,
  schemaOfBody,
  TEXT,
  withNotes,
} from "../../route/index.js";
import type { AwayNeeds } from "./needs.js";

/* The state and the test of the targets of recordings off the box; not in the reference. The targets: /configure/away. */

const testBody = v.optional(members({ Id: guidOrNone }), {});

const DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Tests away targets",
  text: [
    "An addition of nvrd's. Writes a small object into the bucket, compares the clocks, checks that the server refuses a wrong digest, reads back, lists and deletes; asks for object lock and lifecycle rules where the target wants them. [`/configure/away`](#get-configureaway) sets the targets.",
  ],
  body: {
    required: false,
    text: "Without a body all targets that are on are tested.",
    schema: withNotes(schemaOfBody(testBody), { Id: "One target, even if it is switched off." }),
  },
  answer: jsonAnswer(
    objectOf({
      Results: listOf(
        objectOf({
          Id: GUID,
          Name: TEXT,
          Works: FLAG,
          Step: meaning(
            "What failed: `write`, `clock`, `digest`, `read`, `list`, `lock`, `lifecycle`, `keys` or `delete`.",
            orNull(TEXT),
          ),
          Problem: meaning("Why, and what to do.", orNull(TEXT)),
        }),
      ),
    }),
    "The result of each test, after at most 30 s each.",
  ),
  errors: { 404: "There is no such target.", 429: "Too many tests wait." },
  example: [
    "# Where no target has this id: 404.",
    'curl -fu "$AUTH" -X POST "$NVRD/api/away/test" --data \'{ "Id": "88888888-0000-4000-8000-000000000007" }\'',
  ],
};

const STATE_DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Reports what each away target has got and what waits",
  text: ["An addition of nvrd's. Targets that are switched off are not in the answer."],
  answer: jsonAnswer(
    listOf(
      objectOf({
        Id: GUID,
        Name: TEXT,
        Activity: meaning(
          "`Starting`: recordings are looked through; `Idle`: nothing waits; `Sending`; `Paused`: the hour or the month's volume allows nothing; `Failing`.",
          TEXT,
        ),
        WaitingSegments: NUMBER,
        WaitingBytes: NUMBER,
        IsCounting: meaning("Some days have not been looked through yet.", FLAG),
        OldestWaitingDay: meaning("UTC.", orNull(TEXT)),
        SentSegments: meaning("Since the target exists.", NUMBER),
        SentBytes: NUMBER,
        MonthBytes: meaning("Sent in this month, repetitions included.", NUMBER),
        SentDays: meaning(
          "What was sent of recordings on each of the last 31 days (UTC) on which something was, the newest last. Without repetitions.",
          listOf(objectOf({ Day: TEXT, Bytes: NUMBER })),
        ),
        LastSentTime: orNull(TEXT),
        Problem: meaning("Why nothing goes, and what to do.", orNull(TEXT)),
        KnownSegments: meaning(
          "Known to be there: they are played from there when they are not here.",
          NUMBER,
        ),
        ReadProblem: meaning("Why what is there cannot be listed or played.", orNull(TEXT)),
      }),
    ),
    "All targets that are on.",
  ),
  example: ['curl -fu "$AUTH" "$NVRD/api/away"'],
};

export const AWAY_ROUTES: readonly Route<AwayNeeds>[] = [
  {
    method: "GET",
    path: "/api/away",
    login: "administrator",
    endpoint: getAway,
    describe: STATE_DESCRIPTION,
  },
  {
    method: "POST",
    path: "/api/away/test",
    login: "administrator",
    endpoint: postAwayTest,
    describe: DESCRIPTION,
  },
];

const ACTIVITIES = {
  starting: "Starting",
  idle: "Idle",
  sending: "Sending",
  paused: "Paused",
  failing: "Failing",
} as const;

/** GET /api/away: the state of each target. */
function getAway({ needs }: RequestContext<AwayNeeds>): EndpointResult {
  const returns = new Map(needs.away.returns().map((state) => [state.id, state]));
  return answerJson(
    needs.away.states().map(({ waiting, ...state }) => ({
      Id: state.id,
      Name: state.name,
      Activity: ACTIVITIES[state.activity],
      WaitingSegments: waiting.segments,
      WaitingBytes: waiting.bytes,
      IsCounting: waiting.isCounting,
      OldestWaitingDay: waiting.oldestDay ?? null,
      SentSegments: state.sentSegments,
      SentBytes: state.sentBytes,
      MonthBytes: state.monthBytes,
      SentDays: state.sentDays.map(({ day, bytes }) => ({ Day: day, Bytes: bytes })),
      LastSentTime: state.lastSentUs === undefined ? null : formatIsoTime(state.lastSentUs),
      Problem: state.problem ?? null,
      KnownSegments: returns.get(state.id)?.knownSegments ?? 0,
      ReadProblem: returns.get(state.id)?.problem ?? null,
    })),
  );
}

/** POST /api/away/test: tests the target `Id`, or all that are on. */
async function postAwayTest(context: RequestContext<AwayNeeds>): Promise<EndpointResult> {
  const { needs, request, principal, log } = context;
  const { Id } = request.body.length === 0 ? {} : readBody(testBody, request.body);
  const targets = chosenTargets(needs, Id ?? undefined);
  const results = [];
  for (const target of targets) {
    const problem = await needs.away.check(target);
    results.push({
      Id: target.id,
      Name: target.name,
      Works: problem === undefined,
      Step: problem?.step ?? null,
      Problem: problem?.text ?? null,
    });
  }
  log.info({ user: principal.user.name, targets: results.length }, "away targets tested");
  return answerJson({ Results: results });
}

function chosenTargets({ site }: AwayNeeds, id: Guid | undefined) {
  const { awayTargets } = site.current;
  if (id === undefined) return awayTargets.filter(({ isEnabled }) => isEnabled);
  const chosen = awayTargets.filter((target) => target.id === id);
  if (chosen.length === 0)
    throw new NvrdError("NOT_FOUND", `there is no away target ${id}`, { hint: "see GET /configure/away" });
  return chosen;
}
