import { isDeepStrictEqual } from "node:util";
import type { Site } from "../model/model.js";
import type { ChangeAuthor } from "../model/site-change.js";
import type { SiteStore } from "../model/types.js";
import { checkChange } from "../schema/site-checks.js";
import { changeWords } from "./change-words.js";

/** The result of a change of the whole configuration, which may have changed nothing. */
export interface WholeChange {
  readonly revision: number;
  readonly isChanged: boolean;
  /** What is different, in words. */
  readonly summary: string;
}

const NOTHING = "nothing changed";

/** Replaces the configuration as one revision, unless only revision and time would differ. `what`: `imported`. */
export async function changeWhole(
  store: Pick<SiteStore, "current" | "change">,
  edit: (current: Site) => Site,
  options: {
    readonly by: ChangeAuthor;
    readonly what: string;
    readonly expectedRevision?: number | undefined;
  },
): Promise<WholeChange> {
  const { by, what, expectedRevision } = options;
  const { revision: before } = store.current;
  let summary = NOTHING;
  const whole = (current: Site): Site => {
    const next = sameRevision(edit(current), current);
    if (next === current) return current;
    summary = `${what}: ${changeWords(next, current)}`;
    return next;
  };
  // The summary is created inside the edit, from the configuration at that moment.
  const { revision } = await store.change(whole, { by, expectedRevision, summary: () => summary });
  return { revision, isChanged: revision !== before, summary };
}

/** What `changeWhole` would do. Throws NvrdError as it would. */
export function tryWhole(
  store: Pick<SiteStore, "current" | "requireAllowed">,
  edit: (current: Site) => Site,
): WholeChange {
  const { current } = store;
  const next = sameRevision(edit(current), current);
  const { revision } = current;
  if (next === current) return { revision, isChanged: false, summary: NOTHING };
  store.requireAllowed?.(next, current);
  checkChange(next, current);
  return { revision, isChanged: true, summary: changeWords(next, current) };
}

function sameRevision(edited: Site, current: Site): Site {
  const { id, revision, appliedAtUs } = current;
  const next = { ...edited, id, revision, appliedAtUs };
  return isDeepStrictEqual(next, current) ? current : next;
}
