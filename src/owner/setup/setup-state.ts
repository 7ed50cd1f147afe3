import { PASSWORD_SCORE_MIN, type Setup } from "../../contract/answer/index.js";
import { ROOT_USER_NAME } from "../../site/index.js";
import type { SetupNeeds } from "./needs.js";

export const SETUP_STATE_EXAMPLE: Setup = {
  Stage: "Going",
  ServerName: "nvrd",
  Language: "en",
  TimeZone: "Europe/Berlin",
  CanChooseTimeZone: true,
  CamerasCount: 0,
  PasswordScoreMin: 3,
};

export function stageOf(needs: SetupNeeds): Setup["Stage"] {
  const root = needs.site.current.users.find(({ name }) => name === ROOT_USER_NAME);
  if (root !== undefined && needs.mustChangePassword(root)) return "Password";
  return needs.firstRun.isGoing ? "Going" : "Finished";
}

export function setupState(needs: SetupNeeds): Setup {
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
