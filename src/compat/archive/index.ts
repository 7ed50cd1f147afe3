/**
 * compat/archive: GET /archivefragments: runs of recording.
 *
 * Belongs here: the endpoint.
 * Does not belong here: protected times and former cameras (`owner`), reading recordings (`archive`).
 */
import type { Route } from "../../route/index.js";
import { type ArchiveNeeds, FRAGMENTS_ROUTE } from "./get-archivefragments.js";

export { findArchive } from "./find-archive.js";
export type { ArchiveNeeds } from "./get-archivefragments.js";

export const ARCHIVE_ROUTES: readonly Route<ArchiveNeeds>[] = [FRAGMENTS_ROUTE];
