import type { Principal } from "../../access/index.js";
import { formatIsoTime, type Guid } from "../../base/index.js";
import {
  choice,
  FLAG,
  GUID,
  ISO_TIME,
  listOf,
  meaning,
  named,
  objectOf,
  orNull,
  TEXT,
} from "../../route/index.js";
import type { ActionResult, ScenarioRun } from "../../scenario/index.js";
import type { ScenarioActionKind } from "../../site/index.js";

/** The API's names of actions. */
const ACTION_NAMES: Readonly<Record<ScenarioActionKind, string>> = {
  record: "Record",
  preset: "Preset",
  output: "Output",
  announcement: "Announcement",
  alarm: "Alarm",
  event: "Event",
};
const STARTERS = { 2: "Event", 3: "User", 4: "Schedule" } as const;

export const RUN = named(
  "ScenarioRun",
  objectOf({
    ScenarioId: GUID,
    Name: TEXT,
    ChannelId: meaning("For which it runs; null: for all channels of the scenario.", orNull(GUID)),
    StartedBy: meaning("What started it.", choice(Object.values(STARTERS))),
    Cause: meaning("The user's name, the event's, or the time.", TEXT),
    StartedTime: ISO_TIME,
    EndedTime: meaning("Null while it runs.", orNull(ISO_TIME)),
    IsRunning: FLAG,
    Actions: meaning(
      "What was carried out so far, once for each channel.",
      listOf(
        objectOf({
          Type: choice(Object.values(ACTION_NAMES)),
          ChannelId: orNull(GUID),
          IsDone: FLAG,
          Problem: meaning("Why it failed; null where it did not.", orNull(TEXT)),
        }),
      ),
    ),
  }),
);

/** A run as the user may be told of it: a channel that the user may not see does not exist. */
export function describeRun(run: ScenarioRun, principal: Principal): Record<string, unknown> {
  const shown = (id: Guid | undefined): Guid | null => (id !== undefined && principal.maySee(id) ? id : null);
  const describeResult = ({ action, channelId, problem }: ActionResult) => {
    const isHidden = channelId !== undefined && !principal.maySee(channelId);
    const told = isHidden ? "the action failed" : problem;
    return {
      Type: ACTION_NAMES[action.kind],
      ChannelId: shown(channelId),
      IsDone: problem === undefined,
      Problem: problem === undefined ? null : told,
    };
  };
  return {
    ScenarioId: run.scenario.id,
    Name: run.scenario.name,
    ChannelId: shown(run.channelId),
    StartedBy: STARTERS[run.initiator],
    Cause: run.cause,
    StartedTime: formatIsoTime(run.startedUs),
    EndedTime: run.endedUs === undefined ? null : formatIsoTime(run.endedUs),
    IsRunning: run.endedUs === undefined,
    Actions: run.results.map(describeResult),
  };
}
