import type { Guid } from "../../base/index.js";
import { EVENT_TYPES, type EventLog } from "../../event/index.js";
import type { SiteStore } from "../../site/index.js";
import type { RequestContext } from "./context.js";

/** What a user did to a channel's recordings, kept in the event log under the user's name. */
export type ArchiveAct = "archiveProtected" | "archiveProtectionLifted" | "archiveDeleted";

export function raiseArchiveAct(
  context: RequestContext<{ readonly events: EventLog }>,
  act: ArchiveAct,
  subject: { readonly channelId: Guid; readonly channelName: string; readonly comment: string },
): void {
  const { needs, principal } = context;
  needs.events.raise({
    typeId: EVENT_TYPES[act].id,
    ...subject,
    initiator: { type: 1, id: principal.user.id, name: principal.user.name },
  });
}

/** The name a channel has in the configuration; empty when it is gone from there. */
export function channelNameOf(
  { needs }: RequestContext<{ readonly site: SiteStore }>,
  channelId: Guid,
): string {
  return needs.site.current.cameras.find((camera) => camera.id === channelId)?.name ?? "";
}
