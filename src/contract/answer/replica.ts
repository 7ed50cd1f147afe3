import {
  flag,
  group,
  id,
  integer,
  listOf,
  meaning,
  nullable,
  number,
  text,
  type ValueOf,
} from "../kinds/kinds.js";

/** Replicas of other recorders' recordings on a disk of this one: `/api/fleet/replicas`. */

const share = group({
  Id: meaning("The recorder's.", id),
  Name: text,
  GigabytesMax: meaning("0: nothing more is taken of it.", number),
  UsedBytes: meaning(
    "What is kept of it, as far as it is counted: after a start that takes minutes.",
    number,
  ),
  IsPartner: meaning("Otherwise nothing comes of it any more; what was kept is played.", flag),
});

export const fleetReplicas = group({
  Port: meaning("Where partners send; null: nowhere now.", nullable(integer)),
  VolumeId: meaning("The volume that replicas lie on; null: no share was given yet.", nullable(id)),
  Problem: meaning("Why none are taken, or the disk's last failure.", nullable(text)),
  Shares: listOf(share),
});
export type FleetReplicas = ValueOf<typeof fleetReplicas>;
