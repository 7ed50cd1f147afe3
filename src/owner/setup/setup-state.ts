import { PASSWORD_SCORE_MIN } from "../../access/index.js";
import { LANGUAGES } from "../../base/index.js";
import type { SetupState } from "../../messages/index.js";
import { choice, FLAG, type JsonSchema, meaning, named, objectOf, TEXT, WHOLE } from "../../route/index.js";
import { ROOT_USER_NAME } from "../../site/index.js";
import { SETUP_STAGES, type SetupNeeds, type SetupStage } from "./needs.js";

export const SETUP_STATE: JsonSchema = named(
  "SetupState",
  objectOf({
    Stage: meaning(
      "`Password`: root still has the generated password. `Going`: the first run was begun on the page and not finished. `Finished`: all other recorders.",
      choice(SETUP_STAGES),
    ),
    ServerName: TEXT,
    Language: meaning(
      "Of events and of the page where a browser names none of its languages.",
      choice(LANGUAGES),
    ),
    TimeZone: meaning("IANA name.", TEXT),
    CanChooseTimeZone: meaning("False: it is the machine's (setting `timeZoneChoice`).", FLAG),
    CamerasCount: WHOLE,
    PasswordScoreMin: meaning("Of `POST /api/setup/strength`.", WHOLE),
  }),
);

export const SETUP_STATE_EXAMPLE: SetupState = {
  Stage: "Going",
  ServerName: "nvrd",
  Language: "en",
  TimeZone: "Europe/Berlin",
  CanChooseTimeZone: true,
  CamerasCount: 0,
  PasswordScoreMin: 3,
};

export function stageOf(needs: SetupNeeds): SetupStage {
  const root = needs.site.current.users.find(({ name }) => name === ROOT_USER_NAME);
  if (root !== undefined && needs.mustChangePassword(root)) return "Password";
  return needs.firstRun.isGoing ? "Going" : "Finished";
}

export function setupState(needs: SetupNeeds): SetupState {
  const { firstRun, site } = needs;
  return {
    Stage: stageOf(needs),
    ServerName: site.current.server.name,
    Language: firstRun.language,
    TimeZone: firstRun.timeZone,
    CanChooseTimeZone: firstRun.canChooseTimeZone,
    CamerasCount: site.current.cameras.length,
    PasswordScoreMin: PASSWORD_SCORE_MIN,
  };
}
