import type { Guid } from "../../base/index.js";
import { EVENT_TYPES, type EventLog } from "../../event/index.js";
import type { ChannelPlace } from "../../player/index.js";
import type { RequestContext } from "../endpoint/context.js";

/** Operations of users on a channel's recordings, stored in the event log with the user's name. */
export type ArchiveAct =
  | "archiveProtected"
  | "archiveProtectionLifted"
  | "archiveGiven"
  | "archiveTakenBack"
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

/** The name of a channel in the configuration; of one that was deleted the last name, empty where that is not known. */
export function channelNameOf({ needs }: RequestContext<ChannelPlace>, channelId: Guid): string {
  const { site, archive } = needs;
  const camera = site.current.cameras.find(({ id }) => id === channelId);
  return camera?.name ?? archive.recordedName(channelId) ?? "";
}
