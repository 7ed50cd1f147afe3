import type { Guid } from "../base/index.js";
import { AWAY_PLAN_DEFAULT, AWAY_TARGET_DEFAULT, type AwayTarget } from "../site/index.js";
import { guidOf } from "./reader/bucket-boxes.js";
import type { RecorderPlace } from "./s3/s3-target.js";
import type { SendTarget } from "./target-address.js";

const NOTHING = { ...AWAY_PLAN_DEFAULT, content: "nothing" } as const;
const EVERYTHING = { ...AWAY_PLAN_DEFAULT, content: "everything", from: "oldest" } as const;

/** Another recorder as a target, for these cameras: all that is recorded of them goes there, and comes back. */
export function recorderTarget({
  id,
  place,
  ownId,
  channelIds,
}: {
  /** The other recorder's. */
  readonly id: Guid;
  readonly place: RecorderPlace;
  readonly ownId: Guid;
  readonly channelIds: readonly Guid[];
}): SendTarget {
  const cameras = channelIds.map((channelId) => ({ channelId, ...EVERYTHING }));
  return { ...reachOf(id, ownId), id, name: place.name, cameras, recorder: place };
}

/** What a recorder has sent here, as a place of recordings of this one. */
export function keptTarget({
  owner,
  ownId,
  place,
}: {
  readonly owner: { readonly id: Guid; readonly name: string };
  readonly ownId: Guid;
  /** This recorder's own. */
  readonly place: RecorderPlace;
}): SendTarget {
  const id = guidOf("replicas", owner.id);
  return { ...reachOf(ownId, owner.id), id, name: owner.name, recorder: place, isOfOthers: true };
}

/** The bucket is named by whose recordings are in it. */
function reachOf(keeperId: Guid, ownerId: Guid): Omit<AwayTarget, "id" | "name"> {
  return {
    ...{ isEnabled: true, endpoint: `https://${keeperId}`, region: "us-east-1", bucket: ownerId, prefix: "" },
    // Who asks is known by its certificate; a signature is made all the same.
    ...{ style: "path", accessKeyId: "partner", secretAccessKey: "partner", sessionToken: "", authority: "" },
    ...{ proxy: "", proxyLogin: "", proxyPassword: "" },
    ...{ ...AWAY_TARGET_DEFAULT, plan: NOTHING, cameras: [] },
    ...{ kbpsMax: null, hours: [], gbPerMonthMax: null, auditPercent: 1 },
  };
}
