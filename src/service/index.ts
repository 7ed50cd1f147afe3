/**
 * service: assembles the recorder: each part is created and connected, started in order, stopped in reverse.
 *
 * Belongs here: `part/` (one file per part: how it is created and connected), `report/` (reports of the rooms as
 * events), `shared/` (parts that the command line uses too), `api/` (the server of the API), `control/` (messages between service and command line),
 * `process/` (signals, the service manager, the end of the process).
 * Does not belong here: what a part does (its room), the syntax of the command line (`command`).
 */
export { checkOffline } from "./part/record/check-archive.js";
export { type ReportingService, startManaged } from "./process/managed-service.js";
export { guardStop } from "./process/stop-guard.js";
export { type StopReason, supervise } from "./process/supervise.js";
export { Service, type ServiceAddresses, type ServiceHooks } from "./service.js";
