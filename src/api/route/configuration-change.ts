import { GUID, listOf, objectOf, TEXT } from "./json-schema.js";
import {
  type AnswerDescription,
  header,
  jsonAnswer,
  type ParameterDescription,
  query,
} from "./route-description.js";
import { WARNINGS } from "./unknown-members.js";

/* What every change of the configuration takes and answers. */

/** What every change of the configuration may name. */
export const CHANGE_PARAMETERS: readonly ParameterDescription[] = [
  query(
    "revision",
    { type: "integer", minimum: 0 },
    "The revision the change was made for: 409 when it is another one.",
  ),
  header("If-Match", TEXT, "The same, as the `ETag` of an answer."),
];

export const OTHER_REVISION = "The configuration has another revision.";

/** The answer of a change: the ids it touched. */
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
