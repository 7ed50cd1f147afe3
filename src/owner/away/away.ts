import * as v from "valibot";
import type { AwayControl } from "../../away/index.js";
import { formatIsoTime, type Guid, NvrdError } from "../../base/index.js";
import { ADD_AWAY_TARGET } from "../../compat/index.js";
import {
  AWAY_ACTIVITIES,
  type AwayState,
  type AwayTests,
  awayStates,
  awayTests,
} from "../../contract/answer/index.js";
import { shownWord } from "../../contract/index.js";
import type { EventLog } from "../../event/index.js";
import {
  answerJson,
  guidOrNone,
  jsonAnswer,
  members,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface AwayNeeds {
  readonly away: AwayControl;
  readonly events: EventLog;
  readonly site: SiteStore;
}

/* The state and the test of the targets of recordings off the box; not in the reference. The targets: /configure/away. */

const testBody = v.optional(members({ Id: guidOrNone }), {});

export const AWAY_ROUTES: readonly Route<AwayNeeds>[] = [
  {
    method: "GET",
    path: "/api/away",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Reports what each away target has got and what waits",
      text: ["An addition of nvrd's. Targets that are switched off are not in the answer."],
      answer: jsonAnswer(schemaOf(awayStates), "All targets that are on."),
      example: ['curl -fu "$AUTH" "$NVRD/api/away"'],
    },
    /** GET /api/away: the state of each target. */
    endpoint({ needs }) {
      const returns = new Map(needs.away.returns().map((state) => [state.id, state]));
      return answerJson<readonly AwayState[]>(
        needs.away.states().map(({ waiting, ...state }) => ({
          Id: state.id,
          Name: state.name,
          Activity: shownWord(AWAY_ACTIVITIES, state.activity),
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
    },
  },
  {
    method: "POST",
    path: "/api/away/test",
    login: "administrator",

    describe: {
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
      answer: jsonAnswer(schemaOf(awayTests), "The result of each test, after at most 30 s each."),
      errors: { 404: "There is no such target.", 429: "Too many tests wait." },
      example: [
        ...ADD_AWAY_TARGET,
        'curl -fu "$AUTH" -X POST "$NVRD/api/away/test" --data \'{ "Id": "\'$CELLAR\'" }\'',
      ],
    },
    /** POST /api/away/test: tests the target `Id`, or all that are on. */
    async endpoint(context) {
      const { needs, request, principal, log } = context;
      const { Id } = request.body.length === 0 ? {} : readBody(testBody, request.body);
      const targets = chosenTargets(needs, Id ?? undefined);
      const results: AwayTests["Results"][number][] = [];
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
      return answerJson<AwayTests>({ Results: results });
    },
  },
];

function chosenTargets({ away }: AwayNeeds, id: Guid | undefined) {
  const targets = away.targets();
  if (id === undefined) return targets.filter(({ isEnabled }) => isEnabled);
  const chosen = targets.filter((target) => target.id === id);
  if (chosen.length === 0)
    throw new NvrdError("NOT_FOUND", `there is no away target ${id}`, { hint: "see GET /configure/away" });
  return chosen;
}
