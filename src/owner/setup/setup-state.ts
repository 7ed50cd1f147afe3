import type { Language } from "../../base/index.js";
import { PASSWORD_SCORE_MIN, type Setup } from "../../contract/answer/index.js";
import { ROOT_USER_NAME } from "../../site/index.js";
import type { SessionNeeds } from "../session/index.js";

/** What the owner of a box chooses at the first run, beside the configuration. */
export interface FirstRun {
  readonly language: Language;
  /** IANA name. */
  readonly timeZone: string;
  /** False: the zone is the machine's. */
  readonly canChooseTimeZone: boolean;
  /** Whether the first run was begun on the page and not finished. */
  readonly isGoing: boolean;
  /** Keeps what is given; takes effect at once. Rejects with NvrdError NOT_SUPPORTED for a time zone that is the machine's. */
  choose(choice: {
    readonly language?: Language | undefined;
    readonly timeZone?: string | undefined;
    readonly isGoing?: boolean | undefined;
  }): Promise<void>;
}

/** What the routes of this topic work with. */
export interface SetupNeeds extends SessionNeeds {
  readonly firstRun: FirstRun;
}

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
