import type { EventLog } from "../../event/index.js";
import type { RunHistory } from "../../health/index.js";
import type { LmdbSiteStore } from "../../site/index.js";
import { changeEvent } from "./event-mapping.js";

export interface UntoldChangesOptions {
  readonly site: Pick<LmdbSiteStore, "current" | "changeAtStart" | "history">;
  readonly events: Pick<EventLog, "raise">;
  readonly runs: Pick<RunHistory, "toldRevision" | "noteTold">;
}

/**
 * At a start: an event for each change of the configuration that none was raised for, as its history has it. They were made
 * while the service did not run (a password reset, an import), by the start itself, or as the last run ended.
 */
export async function tellUntoldChanges({ site, events, runs }: UntoldChangesOptions): Promise<void> {
  const { revision } = site.current;
  const told = runs.toldRevision ?? revision;
  const history = told < revision ? await site.history() : [];
  const untold = history.filter((entry) => entry.revision > told && entry.revision <= revision).reverse();
  for (const entry of untold) events.raise(changeEvent(entry.revision, entry));
  const { changeAtStart } = site;
  // A full disk may have kept it out of the history.
  if (changeAtStart !== undefined && untold.at(-1)?.revision !== revision)
    events.raise(changeEvent(revision, changeAtStart));
  runs.noteTold(revision);
}
