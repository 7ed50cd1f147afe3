import { hasRight, type Principal } from "../../access/index.js";
import { type ArchiveKey, streamTypesOf } from "../../archive/index.js";

/** What a request wants to watch. */
export interface Viewing {
  readonly of: ArchiveKey;
  readonly sound: boolean;
  readonly archived: boolean;
}

/**
 * What the user is not allowed, as the beginning of a sentence that ends with the channel; undefined if everything is allowed.
 */
export function refusedViewing(principal: Principal, viewing: Viewing): string | undefined {
  const { channelId } = viewing.of;
  if (!viewing.archived && !principal.mayWatchRealtime(channelId)) return "you may not watch live";
  if (viewing.archived && !principal.mayWatchArchive(channelId)) return "you may not watch the archive of";
  if (viewing.sound && !hasRight(principal, "CanReceiveSound")) return "you may not receive sound of";
  if (streamTypesOf(viewing.of).includes("Main") && !hasRight(principal, "CanReceiveMainStream")) {
    return "you may not receive the main stream (streamtype=Alternative may be open to you) of";
  }
  return undefined;
}
