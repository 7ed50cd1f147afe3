import { errorText, type Log } from "../../base/index.js";
import type { EventLog } from "../../event/index.js";
import type { RunHistory } from "../../health/index.js";
import type { HistoryEntry, LmdbSiteStore } from "../../site/index.js";
import { changeEvent } from "./event-mapping.js";

export interface UntoldChangesOptions {
  readonly site: Pick<LmdbSiteStore, "current" | "changeAtStart" | "history">;
  readonly events: Pick<EventLog, "raise">;
  readonly runs: Pick<RunHistory, "toldRevision" | "noteTold">;
  readonly log: Log;
}

/**
 * At a start: an event for each change of the configuration that none was raised for, as its history has it. They were made
 * while the service did not run (a password reset, an import), by the start itself, or as the last run ended.
 */
export async function tellUntoldChanges(options: UntoldChangesOptions): Promise<void> {
  const { site, events, runs } = options;
  const { revision } = site.current;
  const untold = await untoldChanges(options);
  for (const entry of untold) events.raise(changeEvent(entry.revision, entry));
  const { changeAtStart } = site;
  // A full disk may have kept it out of the history.
  if (changeAtStart !== undefined && untold.at(-1)?.revision !== revision)
    events.raise(changeEvent(revision, changeAtStart));
  runs.noteTold(revision);
}

/** In their order. Without its history the service starts all the same. */
async function untoldChanges({ site, runs, log }: UntoldChangesOptions): Promise<readonly HistoryEntry[]> {
  const { revision } = site.current;
  const told = runs.toldRevision ?? revision;
  if (told >= revision) return [];
  try {
    const history = await site.history();
    return history.filter((entry) => entry.revision > told && entry.revision <= revision).reverse();
  } catch (error) {
    log.error(
      { fromRevision: told + 1, toRevision: revision, error: errorText(error) },
      "the history of the configuration cannot be read: changes that were made while the service did not run have no events",
    );
    return [];
  }
}
