/**
 * api/export: @@TODO@@
 *
 * Belongs here: @@
 * Does not belong here: @@
 */

export { EXPORT_ARCHIVE_DESCRIPTION } from "./describe-export.js";
export { Exports } from "./exports.js";
export { getExportArchive } from "./get-exportarchive.js";
export type { ExportNeeds } from "./needs.js";
