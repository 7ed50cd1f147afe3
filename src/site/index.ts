/**
 * site: the configuration: the server, cameras, security objects, user groups and users, views, locations, what
 * viewers are offered, where alarms go; with revisions, kept in LMDB.
 *
 * Belongs here: the model, its checks, its store, its history.
 * Does not belong here: who may do what (`access`), the API's spelling of it (`api`), acting on it (`camera`, `recording`).
 */
export * from "./model/alarm-target.js";
export * from "./model/camera-roles.js";
export * from "./model/camera-settings.js";
export * from "./model/first-site.js";
export * from "./model/kept-settings.js";
export * from "./model/model.js";
export * from "./model/security-tree.js";
export * from "./model/site-change.js";
export * from "./model/site-defaults.js";
export * from "./model/site-limits.js";
export * from "./model/site-settings.js";
export * from "./model/types.js";
export * as alarmValues from "./schema/alarm-target-schema.js";
export { duplicates, foldName, unknownChannels } from "./schema/check-parts.js";
export * from "./schema/nesting.js";
export * as siteValues from "./schema/schema-primitives.js";
export { changeWords } from "./store/change-words.js";
export * from "./store/lmdb-site-store.js";
export type { HistoryEntry } from "./store/revision-history.js";
export * from "./store/site-export.js";
export * from "./store/without-cameras.js";
