import { answerJson, GUID, jsonAnswer, listOf, objectOf, type Route, TEXT } from "../../route/index.js";
import type { ArchiveNeeds } from "./archive-parts.js";
import { PROTECTED_RIGHTS } from "./channel-protected.js";

export const AWAY_TARGETS_ROUTE: Route<ArchiveNeeds> = {
  method: "GET",
  path: "/api/away/targets",
  login: "user",
  rights: PROTECTED_RIGHTS,

  describe: {
    topic: "archive",
    summary: "Names the away targets in which protected times can be locked",
    text: [
      "An addition of nvrd's. Those that are on, for who may lock but is no administrator. How they do: [`GET /api/away`](#get-apiaway).",
    ],
    answer: jsonAnswer(listOf(objectOf({ Id: GUID, Name: TEXT })), "The targets."),
    example: ['curl -fu "$AUTH" "$NVRD/api/away/targets"'],
  },
  /** GET /api/away/targets: their ids and names alone. */
  endpoint({ needs }) {
    return answerJson(needs.away.states().map(({ id, name }) => ({ Id: id, Name: name })));
  },
};
