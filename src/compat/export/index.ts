/**
 * compat/export: GET /exportarchive: recordings as one file.
 *
 * Belongs here: the endpoint, the plan of a file, its bytes, its digest, the ledger of what was exported.
 * Does not belong here: boxes of MP4 (`player/mp4`), reading recordings (`archive`).
 */
import type { Route } from "../../route/index.js";
import type { ExportNeeds } from "./exports.js";
import { EXPORT_ARCHIVE_ROUTE } from "./get-exportarchive.js";

export { EXPORT_MEMORY_BYTES } from "./export-bytes.js";
export type { ExportPlan, ExportRequest, PlannedUnit } from "./export-plan.js";
export type { ExportNeeds } from "./exports.js";
export { EXPORTS_MAX, Exports } from "./exports.js";
export { fileNameOf, readExportRequest, refusedExport } from "./get-exportarchive.js";
export { readRecords } from "./piece-reading.js";
export { answerSizedFile, pump } from "./sized-file.js";
export { UnitMemory } from "./unit-memory.js";

export const EXPORT_ROUTES: readonly Route<ExportNeeds>[] = [EXPORT_ARCHIVE_ROUTE];
