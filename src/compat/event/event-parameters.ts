import type { Principal } from "../../access/index.js";
import { type Guid, NvrdError, parseGuid } from "../../base/index.js";
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

/** As `readGuid`, of a channel that the user may see; a removed one exists for those who may see all. */
export function readEventChannel(query: Query, principal: Principal): Guid | undefined {
  const id = readGuid(query, "channelid");
  if (id === undefined || principal.maySee(id)) return id;
  throw new NvrdError("NOT_FOUND", `there is no channel ${id}`);
}
