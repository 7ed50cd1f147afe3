import { hasRight, isAllForbidden, type Principal } from "../../access/index.js";
import { EMPTY_GUID, type Guid, NvrdError } from "../../base/index.js";
import { EVENT_TYPES, type EventInitiatorType, type EventRecord } from "../../event/index.js";
import type { RouteRight } from "../../route/index.js";
import type { Camera } from "../../site/index.js";

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
  return maySeeInitiator(principal, event);
}

/** Whether it is no event of another user, or those may be seen too. */
export function maySeeInitiator(principal: Principal, { initiator: { type, id } }: EventRecord): boolean {
  return !isUserInitiator(type) || id === principal.user.id || maySeeAllUsers(principal);
}

export function maySeeAllUsers(principal: Principal): boolean {
  return hasRight(principal, "CanAccessToAllUsersInUnifiedLog");
}

/**
 * Types whose text may name any camera that there is or was. Who may not see all cameras gets what stands before the
 * colon: `revision 12`, `1.0 to 1.1`.
 */
const TEXT_NAMES_CAMERAS: ReadonlySet<Guid> = new Set(
  [
    EVENT_TYPES.configurationChanged,
    EVENT_TYPES.updateInstalled,
    EVENT_TYPES.updateKept,
    EVENT_TYPES.updateRolledBack,
    EVENT_TYPES.updateFailed,
  ].map(({ id }) => id),
);
/** Shorter names, and numbers, are words of many texts: leaving them out would only garble these. */
const NAME_LENGTH_MIN = 2;
const LEFT_OUT = "…";

/** An event as a user may receive it: without the names of cameras that the user may not see. */
export function shownEvent(
  principal: Principal,
  cameras: readonly Camera[],
  event: EventRecord,
): EventRecord {
  if (event.channelId !== EMPTY_GUID || searchableChannels(principal) === undefined) return event;
  if (TEXT_NAMES_CAMERAS.has(event.typeId)) {
    return { ...event, comment: event.comment.split(":", 1)[0] ?? "" };
  }
  const names = hiddenNames(principal, cameras);
  if (names === undefined) return event;
  const hide = (text: string): string => text.replace(names, LEFT_OUT);
  return { ...event, comment: hide(event.comment), description: hide(event.description) };
}

interface HiddenNames {
  readonly cameras: readonly Camera[];
  readonly pattern: RegExp | undefined;
}

/** Made once for the principal and cameras of a revision: a search asks for each of many events. */
const hiddenNamesOf = new WeakMap<Principal, HiddenNames>();

/** Finds the names of the cameras that a user may not see, as whole words in any case; undefined: there are none. */
function hiddenNames(principal: Principal, cameras: readonly Camera[]): RegExp | undefined {
  const known = hiddenNamesOf.get(principal);
  if (known?.cameras === cameras) return known.pattern;
  const names = cameras
    .filter(({ id, name }) => !principal.maySee(id) && name.length >= NAME_LENGTH_MIN && !/^\d+$/.test(name))
    .map(({ name }) => name)
    .toSorted((one, other) => other.length - one.length)
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const pattern =
    names.length === 0
      ? undefined
      : new RegExp(`(?<![\\p{L}\\p{N}])(?:${names.join("|")})(?![\\p{L}\\p{N}])`, "giu");
  hiddenNamesOf.set(principal, { cameras, pattern });
  return pattern;
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

/** Whether the user may search the event log. */
export function mayReadEventLog(principal: Principal): boolean {
  return !isAllForbidden(principal) && hasRight(principal, "CanAccessUnifiedLog");
}

/** Throws NvrdError FORBIDDEN unless the user may search the event log. */
export function requireEventLog(principal: Principal): void {
  if (mayReadEventLog(principal)) return;
  throw new NvrdError("FORBIDDEN", "you may not read the event log (right CanAccessUnifiedLog)");
}

/** What whoever adds events needs. */
export const ADDING_RIGHT: RouteRight = { right: "CanAccessEditingAnalystPluginsInClient" };

/** Throws NvrdError FORBIDDEN unless the user may add events. */
export function requireAddingEvents(principal: Principal): void {
  if (!isAllForbidden(principal) && hasRight(principal, ADDING_RIGHT.right)) return;
  throw new NvrdError("FORBIDDEN", `you may not add events (right ${ADDING_RIGHT.right})`);
}
