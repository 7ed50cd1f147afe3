import {
  choice,
  flag,
  group,
  id,
  integer,
  listOf,
  meaning,
  named,
  nullable,
  text,
  time,
  type ValueOf,
} from "../kinds/kinds.js";
import { scenarioAction } from "../resource/scenario.js";

/** Scenarios that a user may run, and their runs: `/api/scenarios`. */

const words = Object.keys(scenarioAction.of) as (keyof typeof scenarioAction.of)[];

export const scenarioRun = named(
  "ScenarioRun",
  group({
    ScenarioId: id,
    Name: text,
    ChannelId: meaning("For which it runs; null: for all channels of the scenario.", nullable(id)),
    StartedBy: meaning("What started it.", choice("Event", "User", "Schedule")),
    Cause: meaning("The user's name, the event's, or the time.", text),
    StartedTime: time,
    EndedTime: meaning("Null while it runs.", nullable(time)),
    IsRunning: flag,
    Actions: meaning(
      "What was carried out so far, once for each channel.",
      listOf(
        group({
          Type: choice(...words),
          ChannelId: nullable(id),
          IsDone: flag,
          Problem: meaning("Why it failed; null where it did not.", nullable(text)),
        }),
      ),
    ),
  }),
);
export type ScenarioRunState = ValueOf<typeof scenarioRun>;

const offered = group({
  Id: id,
  Name: text,
  NeedConfirmation: meaning("A run must be confirmed.", flag),
  ChannelIds: meaning("Those of its channels that the user sees.", listOf(id)),
  ActionCount: integer,
  LastRun: meaning(
    "The run that goes on, or the last one since the service started. Null: none.",
    nullable(scenarioRun),
  ),
});
export type OfferedScenario = ValueOf<typeof offered>;

export const offeredScenarios = listOf(offered);
