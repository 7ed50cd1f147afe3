import type { BucketState, SendTarget } from "../../away/index.js";
import { NvrdError, parseGuid } from "../../base/index.js";
import { type AwayBucket, awayBucket } from "../../contract/answer/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import { shown } from "../../http/index.js";
import { answerJson, jsonAnswer, type RequestContext, type Route, schemaOf } from "../../route/index.js";
import type { AwayNeeds } from "./away.js";

/* What the bucket of an away target has beside objects, and its lifecycle rules; not in the reference. */

const ERRORS = { 404: "There is no such target.", 503: "The bucket cannot be asked: the error says why." };
const PATH_VALUES = { id: "The target's id." };

export const AWAY_BUCKET_ROUTES: readonly Route<AwayNeeds>[] = [
  {
    method: "GET",
    path: "/api/away/buckets/{id}",
    login: "administrator",
    startsWork: true,

    describe: {
      topic: "system",
      summary: "Reports locks, versions and lifecycle rules of an away target's bucket",
      text: ["An addition of nvrd's. The bucket is asked each time."],
      pathValues: PATH_VALUES,
      answer: jsonAnswer(schemaOf(awayBucket), "What the bucket has, and what is proposed."),
      errors: ERRORS,
      example: ['curl -fu "$AUTH" "$NVRD/api/away/buckets/$CELLAR"'],
    },
    /** GET /api/away/buckets/{id}. */
    async endpoint(context) {
      const target = requireTarget(context);
      return answerJson<AwayBucket>(stateObject(target, await context.needs.away.bucket(target)));
    },
  },
  {
    method: "PUT",
    path: "/api/away/buckets/{id}/lifecycle",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Sets the proposed lifecycle rules of an away target's bucket",
      text: [
        "An addition of nvrd's. Replaces the rules that the recorder has set for this target before; rules of others stay as they are. The event `awayRulesSet` has who did it.",
      ],
      pathValues: PATH_VALUES,
      answer: jsonAnswer(schemaOf(awayBucket), "What the bucket has now."),
      errors: { ...ERRORS, 409: "The server knows no lifecycle rules." },
      example: [
        'curl -fu "$AUTH" -X PUT "$NVRD/api/away/buckets/$CELLAR/lifecycle"',
        'curl -fu "$AUTH" -X DELETE "$NVRD/configure/away/$CELLAR"',
      ],
    },
    /** PUT /api/away/buckets/{id}/lifecycle. */
    async endpoint(context) {
      const { needs, principal, log } = context;
      const target = requireTarget(context);
      const state = await needs.away.setRules(target);
      const rules = state.proposed.map(({ id }) => id);
      const { id, name } = principal.user;
      log.info({ user: name, target: target.name, rules }, "lifecycle rules set");
      needs.events.raise({
        typeId: EVENT_TYPES.awayRulesSet.id,
        comment: `${target.name}: ${state.proposed.map(({ text }) => text).join(" ")}`,
        initiator: { type: 1, id, name },
      });
      return answerJson<AwayBucket>(stateObject(target, state));
    },
  },
];

function requireTarget({ needs, pathValues }: RequestContext<AwayNeeds>): SendTarget {
  const text = pathValues.get("id") ?? "";
  const id = parseGuid(text);
  const target = needs.away.targets().find((known) => known.id === id);
  if (target === undefined)
    throw new NvrdError("NOT_FOUND", `there is no away target ${shown(text)}`, {
      hint: "see GET /configure/away",
    });
  return target;
}

function stateObject(
  { id, name }: SendTarget,
  { hasLock, hasVersions, rules, proposed }: BucketState,
): AwayBucket {
  return {
    Id: id,
    Name: name,
    ObjectLock: hasLock === undefined ? "Unsupported" : hasLock ? "Enabled" : "Off",
    HasVersions: hasVersions,
    Rules: rules?.map((rule) => ({ Id: rule.id, Xml: rule.xml })) ?? null,
    Proposed: proposed.map((rule) => ({ Id: rule.id, Text: rule.text, Xml: rule.xml, IsSet: rule.isSet })),
  };
}
