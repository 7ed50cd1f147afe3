/**
 * owner: what nvrd adds to the reference's API: the endpoints of its own page and of programs that want more. One folder per topic,
 * one file per endpoint with its path, rights, description and code.
 *
 * Belongs here: the topics, and the content of their requests and answers.
 * Does not belong here: the reference's endpoints (`compat`), what all endpoints share (`route`), how video is paced and packaged
 * (`player`), HTTP syntax (`http`).
 *
 * Parts: `archive/`: protected times, recordings of former cameras, cards; `hls/`: names of HTTP Live Streaming and their files;
 * `timeline/`: what is recorded and why the rest is not, for a drawing; `live/`: the live socket; `talk/`: sound to cameras;
 * `discovery/`: devices found on the network; `analysis/`: analysers, and what was seen; `task/`: long work in
 * one list; `file/`: files of recordings that are made and kept here; `link/`: links to them for people without a login; `session/`: the login by a form; `page/`: the files of the browser's page; `setup/`: the first run; `system/`: the
 * configuration as a file, restarts, updates, the directory, the clock, the description of the API; `health/`: health, metrics, the
 * log, support; `disk/`: disks; `alarm/`: who is notified of events; `away/`: off-site storage; `certificate/`: the certificate of
 * HTTPS; `network/`: the box's own network; `onvif/`: the path of the ONVIF device; `fleet/`: the hub of a recorder, and the recorders
 * of a hub.
 */

export type { ObjectQuestion, ObjectTrials, TriedAct, TriedFinding, TriedObjects } from "./analysis/index.js";
export { CardPlaces } from "./archive/index.js";
export type { CertificatePlace } from "./certificate/index.js";
export { DeviceAddition, discoveryItems } from "./discovery/index.js";
export { SAVED_FILES_KIND, SavedFiles } from "./file/index.js";
export {
  type BoxesControl,
  FleetServers,
  type HubControl,
  overAllBoxes,
  type PartnersControl,
  type ReplicaShareState,
  type ReplicasControl,
  type ReserveStates,
  type StorageWish,
  seenOverRtsp,
  servePeerLive,
} from "./fleet/index.js";
export {
  healthObject,
  type LogQuery,
  type MonitoringStates,
  type ServiceLogLine,
  type ServiceLogPage,
  type ServiceLogReader,
} from "./health/index.js";
export { HlsSessions, isFileOfName } from "./hls/index.js";
export { FILE_LINKS_KIND, FileLinks, LinkDoor } from "./link/index.js";
export { ChannelStates, LiveSockets, SeenBoxes } from "./live/index.js";
export { loggedPath } from "./logged-path.js";
export type { OnvifService } from "./onvif/index.js";
export { PAGE_FOLDER, PageFiles, pageErrorHeaders, pageHeaders } from "./page/index.js";
export { OWNER_ROUTES, type OwnerNeeds } from "./routes.js";
export type { OidcControl } from "./session/index.js";
export type { FirstRun } from "./setup/index.js";
export {
  type BrokerControl,
  type OnvifDeviceControl,
  openApiRoute,
  type Restarted,
  type Restarts,
  type SiteRevisions,
} from "./system/index.js";
export {
  CameraPictures,
  diskTask,
  moveTask,
  taskEvent,
  UpdateTask,
} from "./task/index.js";
export {
  deletedTimes,
  type ExplainedGap,
  GapReasons,
  type MotionSearchCodec,
  MotionSearches,
  Strips,
  Timelines,
} from "./timeline/index.js";
