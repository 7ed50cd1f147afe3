import * as v from "valibot";
import type { AlarmControl, AlarmResult, AlarmTargetState, PushControl } from "../../alarm/index.js";
import { formatIsoTime } from "../../base/index.js";
import type { EventLog } from "../../event/index.js";
import {
  answerJson,
  FLAG,
  GUID,
  guidOrNone,
  ISO_TIME,
  jsonAnswer,
  listOf,
  meaning,
  members,
  NUMBER,
  named,
  objectOf,
  orNull,
  type Route,
  readBody,
  schemaOfBody,
  TEXT,
  withNotes,
} from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface AlarmNeeds {
  readonly alarms: AlarmControl;
  readonly events: EventLog;
  readonly pushes: PushControl;
  readonly site: SiteStore;
}

/* The state of the alarm targets, and test messages; not in the reference. The targets: /configure/alarms. */

const testBody = v.optional(members({ Id: guidOrNone }), {});

const LAST_RESULT = named(
  "AlarmResult",
  objectOf({ Time: ISO_TIME, IsTest: FLAG, IsSent: FLAG, Problem: orNull(TEXT) }),
);
const ALARM_STATE = objectOf({
  Id: GUID,
  Name: TEXT,
  IsEnabled: FLAG,
  IsFailing: meaning("The last attempt failed.", FLAG),
  IsLimited: meaning("`PerHourMax` is reached.", FLAG),
  IsQuiet: meaning("By `QuietHours` or `SendingHours`: events wait.", FLAG),
  WaitingEvents: NUMBER,
  OmittedEvents: meaning("Events omitted before the next message.", NUMBER),
  LastSentTime: orNull(TEXT),
  Problem: meaning("Why the last attempt failed.", orNull(TEXT)),
  LastResult: {
    oneOf: [LAST_RESULT, { type: "null" }],
    description: "How the last message went, also a test, also before the start. Null: none was sent.",
  },
});
const TEST_RESULT = objectOf({ Id: GUID, Name: TEXT, IsSent: FLAG, Problem: orNull(TEXT) });

export const ALARM_ROUTES: readonly Route<AlarmNeeds>[] = [
  {
    method: "GET",
    path: "/api/alarms",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Reports the state of each alarm target",
      text: [
        "An addition of nvrd's. [`/configure/alarms`](#get-configurealarms) sets the targets; [alarms](alarms.md) describes the messages.",
      ],
      answer: jsonAnswer(listOf(ALARM_STATE), "All targets."),
      example: ['curl -fu "$AUTH" "$NVRD/api/alarms"'],
    },
    /** GET /api/alarms: the state of each target. */
    endpoint({ needs }) {
      return answerJson(
        needs.alarms.states().map((state) => describeState(state, needs.alarms.lastResult(state.id))),
      );
    },
  },
  {
    method: "POST",
    path: "/api/alarms/test",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Sends a test message to alarm targets",
      body: {
        required: false,
        text: "Without a body the message goes to all targets that are on.",
        schema: withNotes(schemaOfBody(testBody), { Id: "One target, even if it is switched off." }),
      },
      answer: jsonAnswer(
        objectOf({ Results: listOf(TEST_RESULT) }),
        "The result of each message, after at most 15 s.",
      ),
      errors: { 404: "There is no such target.", 429: "More than 12 tests in a minute." },
      example: [
        'OWNER=$(curl -fsSu "$AUTH" "$NVRD/configure/alarms" --data \'[{ "Name": "Owner", "Kind": "Webhook",',
        '  "Webhook": { "Url": "https://hooks.example/nvrd" } }]\' | member CreatedObjectsIds)',
        'curl -fu "$AUTH" -X POST "$NVRD/api/alarms/test" --data \'{ "Id": "\'$OWNER\'" }\'',
        'curl -fu "$AUTH" -X DELETE "$NVRD/configure/alarms/$OWNER"',
      ],
    },
    /** POST /api/alarms/test: sends a test message to the target `Id` or to all enabled ones. */
    async endpoint(context) {
      const { needs, request, principal, log } = context;
      const { Id } = request.body.length === 0 ? {} : readBody(testBody, request.body);
      const results = await needs.alarms.test(Id ?? undefined);
      log.info({ user: principal.user.name, targets: results.length }, "alarms tested");
      return answerJson({
        Results: results.map(({ id, name, problem }) => ({
          Id: id,
          Name: name,
          IsSent: problem === undefined,
          Problem: problem ?? null,
        })),
      });
    },
  },
];

function describeState(state: AlarmTargetState, last: AlarmResult | undefined): Record<string, unknown> {
  return {
    Id: state.id,
    Name: state.name,
    IsEnabled: state.isEnabled,
    IsFailing: state.isFailing,
    IsLimited: state.isLimited,
    IsQuiet: state.isQuiet,
    WaitingEvents: state.waitingEvents,
    OmittedEvents: state.omittedEvents,
    LastSentTime: state.lastSentUs === undefined ? null : formatIsoTime(state.lastSentUs),
    Problem: state.problem ?? null,
    LastResult: last === undefined ? null : describeResult(last),
  };
}

function describeResult({ timeUs, isTest, problem }: AlarmResult): Record<string, unknown> {
  const IsSent = problem === undefined;
  return { Time: formatIsoTime(timeUs), IsTest: isTest, IsSent, Problem: problem ?? null };
}
