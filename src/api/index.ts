/**
 * api: the service over HTTP and HTTPS: the adapter over uWebSockets.js, the route table, one file an endpoint,
 * answer formats, the viewers of `/video`, the description of it all (openapi).
 *
 * Belongs here: everything that knows a request, a status, an answer's bytes; how a client's slowness is met.
 * Does not belong here: who may do what (`access`), what the configuration is (`site`), fan-out (`live`), reading
 * recordings (`archive`). Only http-server.ts, response.ts, request-body.ts and library-request.ts know uWebSockets.js.
 */
export { type ApiMemory, ApiServer, type ApiServerOptions, type ApiSettings } from "./api-server.js";
export { REMEMBERED_ANSWER_BYTES_MAX } from "./configuration/configuration-answers.js";
export { type DiscoveryItem, discoveryItems } from "./discovery/configure-discovery.js";
export { DeviceAddition, type DeviceRequest } from "./discovery/device-addition.js";
export { Door, type DoorChange, type OpenedDoor } from "../http/listener.js";
export { EXPORT_MEMORY_BYTES } from "./export/export-bytes.js";
export { EXPORTS_MAX } from "./export/exports.js";
export { type PortSetting, portsToTry } from "../http/listen-ports.js";
export { BODIES_BYTES_MAX } from "../http/request-body.js";
export { type RtspMounts, withoutSecrets } from "./rtsp/rtsp-mounts.js";
export { SNAPSHOT_BYTES_MAX, type SnapshotSource } from "./route/services.js";
export type { SoundCodec } from "./video/sound-part.js";
