/**
 * service: the whole recorder put together: each part built and wired, started in order, stopped in reverse.
 *
 * Belongs here: `part/` (one file a part: what it is made of and whom it follows), `report/` (what rooms say, as events),
 * `shared/` (parts that the command line makes too), `control/` (what service and command line say to each other),
 * `process/` (signals, the service manager, the end of the process).
 * Does not belong here: what a part does (its room), the words of the command line (`command`).
 */
export { checkOffline } from "./part/check-archive.js";
export { type ReportingService, startManaged } from "./process/managed-service.js";
export { supervise } from "./process/supervise.js";
export { Service, type ServiceAddresses, type ServiceHooks } from "./service.js";
