import type { Guid } from "../../../base/index.js";
import { EVENT_TYPES, type EventLog } from "../../../event/index.js";
import type { SiteStore } from "../../../site/index.js";
import type { RequestContext } from "../context.js";

/** Operations of users on a channel's recordings, stored in the event log with the user's name. */
export type ArchiveAct =
  | "archiveProtected"
  | "archiveProtectionLifted"
  | "archiveDeleted"
  | "awayLocked"
  | "awayLockLifted";

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

/** The name of a channel in the configuration; empty if it was deleted. */
export function channelNameOf(
  { needs }: RequestContext<{ readonly site: SiteStore }>,
  channelId: Guid,
): string {
  return needs.site.current.cameras.find((camera) => camera.id === channelId)?.name ?? "";
}
