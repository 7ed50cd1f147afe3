import { changeQuery } from "../../contract/query/index.js";
import { GUID, listOf, objectOf, TEXT } from "../body/json-schema.js";
import { WARNINGS } from "../body/unknown-members.js";
import { describeQuery } from "../endpoint/query-parameters.js";
import {
  type AnswerDescription,
  header,
  jsonAnswer,
  type ParameterDescription,
} from "../endpoint/route-description.js";

/* Parameters and answers shared by all changes of the configuration. */

/** Optional parameters of every change of the configuration. */
export const CHANGE_PARAMETERS: readonly ParameterDescription[] = [
  ...describeQuery(changeQuery),
  header(
    "If-Match",
    { ...TEXT, pattern: '^(?:\\*|(?:W/)?"\\d{1,15}"|\\d{1,15})$' },
    "The same, as the `ETag` of an answer. `*`: whichever is current. 409 if both are sent and differ.",
  ),
];

export const OTHER_REVISION = "The configuration has another revision.";
/** What a body is refused for that a schema allows. */
export const UNKNOWN_IDS = "The only faults are ids that name nothing.";
export const OTHER_OBJECTS = `An object contradicts others: its name is taken, it stands twice in the body, or there is no room for it. Or: ${OTHER_REVISION}`;

/** The answer to a change: the ids of the changed objects. */
export function changedIds(
  member: "CreatedObjectsIds" | "ModifiedObjectsIds" | "DeletedObjectsIds",
): AnswerDescription {
  const isRead = member !== "DeletedObjectsIds";
  return {
    ...jsonAnswer(
      objectOf({ [member]: listOf(GUID), ...(isRead ? { Warnings: WARNINGS } : {}) }, [member]),
      "The ids, in the order sent.",
    ),
    revision: true,
  };
}
