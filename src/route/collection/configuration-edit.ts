import { isDeepStrictEqual } from "node:util";
import type { Answer } from "../../http/index.js";
import type { Site, SiteStore } from "../../site/index.js";
import { answerJson } from "../answer/answer.js";
import type { RequestContext } from "../endpoint/context.js";
import { readExpectedRevision, withRevision } from "./expected-revision.js";

/** What endpoints of the configuration need. */
export interface SiteNeeds {
  readonly site: SiteStore;
}

/**
 * Applies a change for a request, in the user's name: to the revision that the client names, otherwise to the current one. If
 * the result is equal, the revision stays. `edit` may be called with a newer configuration than the request was checked
 * against, so it must use only its argument.
 */
export async function editConfiguration(
  context: RequestContext<SiteNeeds>,
  edit: (site: Site) => Site,
): Promise<Site> {
  const { needs, request, principal, log } = context;
  const before = needs.site.current.revision;
  const by = { userId: principal.user.id, name: principal.user.name };
  const keepEqual = (site: Site): Site => {
    const edited = edit(site);
    return isDeepStrictEqual(edited, site) ? site : edited;
  };
  const expectedRevision = readExpectedRevision(request);
  const site = await needs.site.change(keepEqual, { expectedRevision, by });
  if (site.revision !== before)
    log.info({ user: by.name, revision: site.revision }, "configuration changed over the API");
  return site;
}

/** A JSON answer with the configuration's revision as entity tag. */
export function answerConfiguration(value: unknown, site: Site): Answer {
  return withRevision(answerJson(value), site.revision);
}
