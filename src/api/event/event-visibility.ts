import type { Principal } from "../../access/index.js";
import { EMPTY_GUID, type Guid, NvrdError } from "../../base/index.js";
import type { EventInitiatorType, EventRecord } from "../../event/index.js";
import { hasRight, isAllForbidden, type RouteRight } from "../route/index.js";

/** Initiators that are users; events of other users need a right. */
const USER_INITIATORS: readonly EventInitiatorType[] = [1, 3];

export function isUserInitiator(type: EventInitiatorType): boolean {
  return USER_INITIATORS.includes(type);
}

/**
 * Whether a user may receive an event: one of a channel it may see, or, with CanAccessUnifiedLog, one tied to no
 * channel; an event of another user also needs CanAccessToAllUsersInUnifiedLog.
 */
export function mayReceive(principal: Principal, event: EventRecord): boolean {
  if (isAllForbidden(principal)) return false;
  const tied = event.channelId !== EMPTY_GUID;
  if (tied ? !principal.maySee(event.channelId) : !hasRight(principal, "CanAccessUnifiedLog")) return false;
  const { type, id } = event.initiator;
  return !isUserInitiator(type) || id === principal.user.id || maySeeAllUsers(principal);
}

export function maySeeAllUsers(principal: Principal): boolean {
  return hasRight(principal, "CanAccessToAllUsersInUnifiedLog");
}

/** The channels whose events a user may search, including the empty GUID; undefined: all, including deleted ones. */
export function searchableChannels(principal: Principal): ReadonlySet<Guid> | undefined {
  const { realtimeChannels, archiveChannels, seniorAdministrators } = principal.group;
  if (seniorAdministrators || realtimeChannels === "all" || archiveChannels === "all") return undefined;
  return new Set([EMPTY_GUID, ...realtimeChannels, ...archiveChannels]);
}

/** The rights for reading stored events. */
export const EVENT_LOG_RIGHTS: readonly RouteRight[] = [
  { right: "CanAccessUnifiedLog" },
  { right: "CanAccessToAllUsersInUnifiedLog", when: "events of other users are requested" },
];

/** Throws NvrdError FORBIDDEN unless the user may search the event log. */
export function requireEventLog(principal: Principal): void {
  if (!isAllForbidden(principal) && hasRight(principal, "CanAccessUnifiedLog")) return;
  throw new NvrdError("FORBIDDEN", "you may not read the event log (right CanAccessUnifiedLog)");
}
