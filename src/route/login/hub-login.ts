import * as v from "valibot";
import type { HubCredentials, HubUser } from "../../access/index.js";
import { NvrdError } from "../../base/index.js";
import { HUB_USER_HEADER, hubUser } from "../../contract/index.js";
import { readerOfValue } from "../../contract/reading/index.js";
import type { RequestContent } from "../../http/index.js";

/** Where requests of a hub come in; see `RawRequest.door`. */
export const HUB_DOOR = "hub";

const reader = readerOfValue(hubUser);

/** Whether a request came through the hub. */
export function isOfHub({ door }: Pick<RequestContent, "door">): boolean {
  return door === HUB_DOOR;
}

/** The user of a hub's request, whom the link to the hub has checked. Throws NvrdError UNAUTHORIZED where none is named. */
export function hubCredentials(request: Pick<RequestContent, "header">): HubCredentials {
  const read = v.safeParse(reader, jsonOf(request.header(HUB_USER_HEADER) ?? ""));
  if (!read.success) throw new NvrdError("UNAUTHORIZED", "the request says not who asks", { hint: "" });
  const hub = read.output as HubUser;
  return { hub, address: hub.Address };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    // Refused as what it is not.
    return undefined;
  }
}
