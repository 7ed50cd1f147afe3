/**
 * api: what is served over HTTP and RTSP: one folder a topic, one file an endpoint: its path, rights, description, and
 * what answers.
 *
 * Belongs here: the topics; what a request asks and an answer says; `routes.ts`, the list of the topics; `api-server.ts`,
 * which gives each topic what it needs.
 * Does not belong here: the bytes of HTTP (`http`), who may do what (`access`), what the configuration is (`site`), fan-out
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

export { type ApiMemory, ApiServer, type ApiServerOptions, type ApiSettings } from "./api-server.js";
export { REMEMBERED_ANSWER_BYTES_MAX } from "./configuration/index.js";
export { DeviceAddition, type DeviceRequest, type DiscoveryItem, discoveryItems } from "./discovery/index.js";
export { EXPORT_MEMORY_BYTES, EXPORTS_MAX } from "./export/index.js";
export { type RtspMounts, withoutSecrets } from "./rtsp/index.js";
export { SNAPSHOT_BYTES_MAX, type SnapshotSource } from "./still/index.js";
export type { SoundCodec } from "./video/index.js";
