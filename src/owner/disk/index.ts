/**
 * owner/disk: the disks of the machine, their history, and what can be done with them.
 *
 * Belongs here: endpoints about disks and the volumes on them.
 * Does not belong here: the disks themselves (`box/storage`), what SMART says (`health`).
 */
import type { Route } from "../../route/index.js";
import { DISK_FORMAT_ROUTES } from "./disk-format.js";
import { DISK_HISTORY_ROUTE } from "./disk-history.js";
import { DISK_VOLUME_ROUTES } from "./disk-volumes.js";
import { DISKS_ROUTE, type DiskNeeds } from "./disks.js";

export type { DiskNeeds } from "./disks.js";

/** The disks, under any licence. */
export const DISK_ROUTES: readonly Route<DiskNeeds>[] = [
  DISKS_ROUTE,
  DISK_HISTORY_ROUTE,
  ...DISK_FORMAT_ROUTES,
  ...DISK_VOLUME_ROUTES,
];
