/**
 * api: the service's endpoints: the route table, one file an endpoint, answer formats, the viewers of `/video`, the
 * description of it all (openapi).
 *
 * Belongs here: everything that knows a route, its rights, its parameters, the form of its answer.
 * Does not belong here: HTTP itself (`http`), who may do what (`access`), what the configuration is (`site`), fan-out
 * (`live`), reading recordings (`archive`).
 *
 * Parts: `route/`: what all topics share: routes, requests, rights, answers, descriptions; `camera/`: cameras as
 * objects of the configuration; `channel/`: channels, their state, recording by hand, PTZ; `video/`: /video, and the
 * frames every way out begins with; `archive/`: runs of recording, what was recorded at a moment, protected times;
 * `event/`: events, live and searched; `export/`: recordings as files; `hls/`: HTTP Live Streaming; `mobile/`:
 * transcoded video; `rtsp/`: what the RTSP outlet serves; `still/`: single pictures; `configuration/`: /configex, and
 * the configuration beside cameras; `discovery/`: devices found on the network; `command/`: questions named by a
 * parameter; `system/`: health, disks, alarms, updates, support, the description of the API.
 */

export { Door, type DoorChange, type OpenedDoor, type PortSetting, portsToTry } from "../http/index.js";
export { type ApiMemory, ApiServer, type ApiServerOptions, type ApiSettings } from "./api-server.js";
export { REMEMBERED_ANSWER_BYTES_MAX } from "./configuration/index.js";
export { DeviceAddition, type DeviceRequest, type DiscoveryItem, discoveryItems } from "./discovery/index.js";
export { EXPORT_MEMORY_BYTES, EXPORTS_MAX } from "./export/index.js";
export { type RtspMounts, withoutSecrets } from "./rtsp/index.js";
export { SNAPSHOT_BYTES_MAX, type SnapshotSource } from "./still/index.js";
export type { SoundCodec } from "./video/index.js";
