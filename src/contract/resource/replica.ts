import { group, id, optional, whole } from "../kinds/kinds.js";
import type { TextsOf } from "../kinds/texts.js";

/** Replicas of other recorders' recordings on a disk of this one: `/api/fleet/replicas`. */

/** The body that gives a partner a share. */
export const replicaShare = group(
  { GigabytesMax: whole(0, 1_000_000), VolumeId: optional(id) },
  "GigabytesMax",
);

export const replicaShareTexts: TextsOf<typeof replicaShare.members> = {
  GigabytesMax:
    "What the partner's recordings may take of the disk; its oldest ones go when it is used up, protected ones excepted. 0: nothing more is taken, and what is there stays.",
  VolumeId:
    "The volume that all replicas lie on, of [`/api/disks`](#get-apidisks). Left out: where they lie, or the largest. It can be changed while no other recorder has a share.",
};
