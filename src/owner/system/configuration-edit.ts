import { type RequestContext, readExpectedRevision } from "../../route/index.js";
import { changeWhole, type Site, tryWhole, type WholeChange } from "../../site/index.js";
import type { SystemNeeds } from "./states.js";

/** Changes the whole configuration in a user's name, or says what would be changed. */
export async function editWhole(
  { needs, request, principal, log }: RequestContext<SystemNeeds>,
  edit: (current: Site) => Site,
  { what, isDryRun }: { readonly what: string; readonly isDryRun: boolean },
): Promise<WholeChange> {
  if (isDryRun) return tryWhole(needs.site, edit);
  const { id: userId, name } = principal.user;
  const by = { userId, name };
  const expectedRevision = readExpectedRevision(request);
  const change = await changeWhole(needs.site, edit, { by, what, expectedRevision });
  log.info({ user: name, revision: change.revision, isChanged: change.isChanged }, `configuration ${what}`);
  return change;
}
