import { errorText, type Log } from "../../base/index.js";
import type { EventLog } from "../../event/index.js";
import type { RunHistory } from "../../health/index.js";
import type { HistoryEntry, LmdbSiteStore } from "../../site/index.js";
import { changeEvent } from "./event-mapping.js";

export interface UnreportedChangesOptions {
  readonly site: Pick<LmdbSiteStore, "current" | "changeAtStart" | "history">;
  readonly events: Pick<EventLog, "raise">;
  readonly runs: Pick<RunHistory, "reportedRevision" | "noteReported">;
  readonly log: Log;
}

/**
 * At a start: an event for each change of the configuration that none was raised for, as its history has it. They were made
 * while the service did not run (a password reset, an import), by the start itself, or as the last run ended.
 */
export async function reportChangesBefore(options: UnreportedChangesOptions): Promise<void> {
  const { site, events, runs } = options;
  const { revision } = site.current;
  const missing = await unreportedChanges(options);
  for (const entry of missing) events.raise(changeEvent(entry.revision, entry));
  const { changeAtStart } = site;
  // A full disk may have kept it out of the history.
  if (changeAtStart !== undefined && missing.at(-1)?.revision !== revision)
    events.raise(changeEvent(revision, changeAtStart));
  runs.noteReported(revision);
}

/** In their order. Without its history the service starts all the same. */
async function unreportedChanges({
  site,
  runs,
  log,
}: UnreportedChangesOptions): Promise<readonly HistoryEntry[]> {
  const { revision } = site.current;
  const reported = runs.reportedRevision ?? revision;
  if (reported >= revision) return [];
  try {
    const history = await site.history();
    return history.filter((entry) => entry.revision > reported && entry.revision <= revision).reverse();
  } catch (error) {
    log.error(
      { fromRevision: reported + 1, toRevision: revision, error: errorText(error) },
      "the history of the configuration cannot be read: changes that were made while the service did not run have no events",
    );
    return [];
  }
}
