import {
  answerJson,
  type EndpointResult,
  GUID,
  jsonAnswer,
  listOf,
  objectOf,
  type RequestContext,
  type Route,
  type RouteDescription,
  TEXT,
} from "../../route/index.js";
import { PROTECTED_RIGHTS } from "./channel-protected.js";
import type { ArchiveNeeds } from "./needs.js";

const DESCRIPTION: RouteDescription = {
  topic: "archive",
  summary: "Names the away targets in which protected times can be locked",
  text: [
    "An addition of nvrd's. Those that are on, for who may lock but is no administrator. How they do: [`GET /api/away`](#get-apiaway).",
  ],
  answer: jsonAnswer(listOf(objectOf({ Id: GUID, Name: TEXT })), "The targets."),
  example: ['curl -fu "$AUTH" "$NVRD/api/away/targets"'],
};

export const AWAY_TARGETS_ROUTE: Route<ArchiveNeeds> = {
  method: "GET",
  path: "/api/away/targets",
  login: "user",
  rights: PROTECTED_RIGHTS,
  endpoint: getTargets,
  describe: DESCRIPTION,
};

/** GET /api/away/targets: their ids and names alone. */
function getTargets({ needs }: RequestContext<ArchiveNeeds>): EndpointResult {
  return answerJson(needs.away.states().map(({ id, name }) => ({ Id: id, Name: name })));
}
