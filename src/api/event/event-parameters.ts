import type { Principal } from "../../access/index.js";
import { type Guid, NvrdError, parseGuid } from "../../base/index.js";
import type { EventLog } from "../../event/index.js";
import { type Query, shown } from "../../http/index.js";

/** The GUID in a parameter, undefined if absent. Throws NvrdError BAD_REQUEST for several GUIDs or other text. */
export function readGuid(query: Query, name: string): Guid | undefined {
  const text = query.getFilled(name)?.trim();
  if (text === undefined) return undefined;
  if (text.includes(","))
    throw new NvrdError("BAD_REQUEST", `parameter "${name}" takes one GUID, not several`);
  const id = parseGuid(text);
  if (id === undefined)
    throw new NvrdError("BAD_REQUEST", `parameter "${name}" is "${shown(text)}": no GUID`);
  return id;
}

/** Like `readGuid`, for an existing event type. */
export function readEventType(query: Query, name: string, events: EventLog): Guid | undefined {
  const id = readGuid(query, name);
  if (id === undefined || events.types.some((type) => type.id === id)) return id;
  throw new NvrdError(
    "BAD_REQUEST",
    `parameter "${name}" names no event type (see /archive_event_types): ${id}`,
  );
}

/** Like `readGuid`, for a channel that the user may see; users who may see all channels may also name a deleted one. */
export function readEventChannel(query: Query, principal: Principal): Guid | undefined {
  const id = readGuid(query, "channelid");
  if (id === undefined || principal.maySee(id)) return id;
  throw new NvrdError("NOT_FOUND", `there is no channel ${id}`);
}
