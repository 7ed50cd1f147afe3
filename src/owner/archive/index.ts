/**
 * owner/archive: recordings: runs of recording, the nearest recorded time, protected times.
 *
 * Belongs here: /archivefragments, findarchive of /command, former cameras, bookmarks, protected times of a channel and their locks in object storage, what a
 * camera keeps on its card.
 * Does not belong here: playing it (`compat/video`, `compat/export`).
 */
import type { Route } from "../../route/index.js";
import type { ArchiveNeeds } from "./archive-parts.js";
import { AWAY_LOCK_ROUTES } from "./away-locks.js";
import { AWAY_TARGETS_ROUTE } from "./away-targets.js";
import { BOOKMARK_ROUTE } from "./bookmark.js";
import { PROTECTED_ROUTES } from "./channel-protected.js";
import { DEVICE_ARCHIVE_ROUTES } from "./device-archive.js";
import { FORMER_CAMERAS_ROUTE } from "./former-cameras.js";
import { ALL_PROTECTED_ROUTES } from "./get-protected.js";
import { GIVE_RECORDINGS_ROUTE } from "./given-recordings.js";

export type { ArchiveNeeds } from "./archive-parts.js";
export { CardPlaces } from "./card-places.js";

export const ARCHIVE_ROUTES: readonly Route<ArchiveNeeds>[] = [
  FORMER_CAMERAS_ROUTE,
  GIVE_RECORDINGS_ROUTE,
  ...PROTECTED_ROUTES,
  BOOKMARK_ROUTE,
  ...ALL_PROTECTED_ROUTES,
  ...DEVICE_ARCHIVE_ROUTES,
  ...AWAY_LOCK_ROUTES,
  AWAY_TARGETS_ROUTE,
];
