import { isDeepStrictEqual } from "node:util";
import type { Answer } from "../../http/index.js";
import type { Site, SiteStore } from "../../site/index.js";
import { answerJson } from "./answer.js";
import type { RequestContext } from "./context.js";
import { readExpectedRevision, withRevision } from "./expected-revision.js";

/** What endpoints of the configuration need. */
export interface SiteNeeds {
  readonly site: SiteStore;
}

/**
 * Makes a change for a request: on the revision the client names, else on the current one, under the user's name.
 * What comes out equal is no change, so the revision stays. `edit` may be called on a newer configuration than the
 * request was read on, so it takes everything from the one it is given.
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

/** A JSON answer with the revision it was read from as its entity tag. */
export function answerConfiguration(value: unknown, site: Site): Answer {
  return withRevision(answerJson(value), site.revision);
}
