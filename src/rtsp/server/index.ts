/**
 * rtsp/server: the RTSP server; a door of the room `rtsp` beside `../index.js`.
 *
 * Belongs here: requests, sessions, SDP, sender reports, ways of delivery. The packetizers are beside it (`../packetize/`).
 * Does not belong here: who may watch what (the mount resolver's business), where frames come from (`live`, `archive`,
 * `demo`), anything of the client.
 */
export { nalUnitsOf } from "../packetize/packetizer-nal-units.js";
export { LiveMount, type LiveMountOptions } from "./live-mount.js";
export type {
  MountDescription,
  MountRequest,
  MountResolver,
  MountSink,
  MountSource,
  Playback,
  PlaybackSink,
  RecordedMark,
  Recording,
} from "./mount.js";
export type { PlayOrder } from "./play-order.js";
export { RtspServer, type RtspServerOptions } from "./rtsp-server.js";
export {
  AUTH_SCHEMES,
  type AuthScheme,
  ServerAuthenticator,
  type ServerCredentials,
} from "./server-authenticator.js";
export { UNSENT_BYTES_MAX } from "./track-delivery.js";
