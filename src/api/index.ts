/**
 * api: what is served over HTTP and RTSP: one folder per topic, one file per endpoint with its path, rights, description and
 * code.
 *
 * Belongs here: the topics; the content of requests and answers; `routes.ts`, the list of the topics; `api-server.ts`,
 * which gives each topic what it needs.
 * Does not belong here: HTTP syntax (`http`), who may do what (`access`), the model of the configuration (`site`), fan-out
 * (`live`), reading recordings (`archive`).
 *
 * Parts: `route/`: what all topics share: routes, requests, rights, answers, descriptions; `camera/`: cameras as objects of the
 * configuration; `channel/`: channels, their state, manual recording, PTZ; `video/`: /video, and the frames that all outputs
 * begin with; `archive/`: runs of recording, recordings at a time, protected times; `event/`: events, live and searched;
 * `export/`: recordings as files; `hls/`: HTTP Live Streaming; `mobile/`: transcoded video; `rtsp/`: the sources of the RTSP
 * server; `still/`: single pictures; `timeline/`: what is recorded and why the rest is not, for a drawing; `live/`: the live socket; `talk/`: sound to cameras; `configuration/`:
 * /configex, and the configuration except cameras; `discovery/`: devices found on the network; `task/`: long work in one list; `scenario/`: scenarios as users run them; `analysis/`: analysers and the search for what they found; `command/`: queries selected by
 * a parameter; `session/`: the login by a form; `setup/`: the first run; `page/`: the files of the browser's page; `health/`: health, metrics, the log, support;
 * `disk/`: disks; `alarm/`: who is told of events; `away/`: off-site storage; `certificate/`: the certificate of HTTPS; `system/`: the
 * configuration as a file, restarts, updates, the directory, the clock, the description of the API; `network/`: the box's own network; `onvif/`: the
 * path of the ONVIF device.
 */

export { type ApiMemory, ApiServer, type ApiServerOptions, type ApiSettings } from "./api-server.js";
export { REMEMBERED_ANSWER_BYTES_MAX } from "./configuration/index.js";
export { DeviceAddition, type DeviceRequest, type DiscoveryItem, discoveryItems } from "./discovery/index.js";
export { formatLiveItem, mayReceive, shownEvent } from "./event/index.js";
export { EXPORT_MEMORY_BYTES, EXPORTS_MAX } from "./export/index.js";
export {
  healthObject,
  LOG_LEVELS,
  type LogLevel,
  type LogQuery,
  type MonitoringStates,
  type ServiceLogLine,
  type ServiceLogPage,
  type ServiceLogReader,
} from "./health/index.js";
export { CLIENTS_WAITING_BYTES_MAX } from "./live/index.js";
export type { OnvifService, SoapAnswer, SoapQuestion } from "./onvif/index.js";
export { hasRight, isAllForbidden, refusedViewing, rotationOf } from "./route/index.js";
export { type RtspMounts, withoutSecrets } from "./rtsp/index.js";
export type { FirstRun } from "./setup/index.js";
export { liveSource, SNAPSHOT_BYTES_MAX, type SnapshotSource } from "./still/index.js";
export type { Restarted, Restarts, SiteRevisions } from "./system/index.js";
export type { SoundCodec } from "./video/index.js";
