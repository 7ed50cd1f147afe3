import type { ScenarioControl, ScenarioRun } from "../../alarm/scenario/index.js";
import { type Clock, endsWithin, type Guid } from "../../base/index.js";
import type { RequestContext } from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface ScenarioNeeds {
  readonly site: SiteStore;
  readonly scenarios: ScenarioControl;
  readonly clock: Clock;
}

/** How long an answer waits for the end of a run. */
export const RUN_WAIT_MS = 5_000;

/** Starts a scenario as the request's user; resolves with the run when it has ended, or as it is after `RUN_WAIT_MS`. */
export async function startRun(
  { needs, principal, log }: RequestContext<ScenarioNeeds>,
  asked: { readonly scenarioId: Guid; readonly channelId: Guid | undefined; readonly isConfirmed: boolean },
): Promise<ScenarioRun> {
  const { clock, scenarios } = needs;
  const { id, name } = principal.user;
  const user = {
    ...{ id, name, priority: principal.group.ptzPriority },
    maySee: (channelId: Guid) => principal.maySee(channelId),
  };
  const running = scenarios.run({ ...asked, user });
  const isOver = await endsWithin(running, { clock, ms: RUN_WAIT_MS });
  log.info(
    { user: name, scenario: asked.scenarioId, channel: asked.channelId },
    "scenario started by a user",
  );
  const known = isOver ? undefined : scenarios.runOf(asked.scenarioId);
  return known ?? (await running);
}
