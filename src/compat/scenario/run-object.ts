import type { Principal } from "../../access/index.js";
import type { ActionResult, ScenarioRun } from "../../alarm/scenario/index.js";
import { formatIsoTime, type Guid } from "../../base/index.js";
import type { ScenarioRunState } from "../../contract/answer/index.js";
import { scenarioAction, shownTag } from "../../contract/index.js";

const STARTERS = { 2: "Event", 3: "User", 4: "Schedule" } as const;

/** A run as the user may see it: a channel that the user may not see does not exist. */
export function describeRun(run: ScenarioRun, principal: Principal): ScenarioRunState {
  const shown = (id: Guid | undefined): Guid | null => (id !== undefined && principal.maySee(id) ? id : null);
  const describeResult = ({ action, channelId, problem }: ActionResult) => {
    const isHidden = channelId !== undefined && !principal.maySee(channelId);
    return {
      Type: shownTag(scenarioAction, action.kind),
      ChannelId: shown(channelId),
      IsDone: problem === undefined,
      Problem: problem === undefined ? null : isHidden ? "the action failed" : problem,
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
