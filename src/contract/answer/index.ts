/**
 * What the service answers under /api, once: the members of each answer, their kinds and what is said of them.
 *
 * Belongs here: one file a topic, with its answers and their types. The page takes the types alone: texts are in descriptions.
 *
 * Does not belong here: what a body may hold (`resource/`), and what an answer is made from.
 */

export {
  type Disk,
  type DiskFigureName,
  type DiskFigures,
  type DiskHistory,
  type DiskSample,
  type Disks,
  type DiskWork,
  type DiskWorkBegun,
  diskHistory,
  disks,
  diskWorkBegun,
  type Volume,
} from "./disk.js";
export {
  type Ipv4Settings,
  type Ipv6Settings,
  ipv4Methods,
  ipv6Methods,
  NETWORK_MANAGERS,
  type Network,
  type NetworkBox,
  type NetworkInterface,
  type NetworkSettings,
  type NetworkTrial,
  type NetworkTrialBegun,
  type NetworkTrialConfirmed,
  type NetworkTrialEnded,
  network,
  networkBox,
  networkTrialBegun,
  networkTrialConfirmed,
  networkTrialEnded,
} from "./network.js";
