/**
 * rtsp/server: the RTSP server; a second public module of `rtsp`, besides `../index.js`.
 *
 * Belongs here: requests, sessions, SDP, sender reports, delivery by TCP and UDP. The packetizers are in
 * `../packetize/`.
 * Does not belong here: who may watch what (decided by the mount resolver), where frames come from (`live`, `archive`,
 * `demo`), the RTSP client.
 */
export { nalUnitsOf } from "../packetize/packetizer-nal-units.js";
export { LiveMount } from "./live-mount.js";
export type {
  MountDescription,
  MountRequest,
  MountResolver,
  MountSink,
  MountSource,
  Playback,
  PlaybackSink,
  Recording,
} from "./mount.js";
export type { PlayOrder } from "./play-order.js";
export { RtspServer, type RtspServerOptions } from "./rtsp-server.js";
export { type AuthScheme, ServerAuthenticator, type ServerCredentials } from "./server-authenticator.js";
/** Addresses that nobody has logged in from, and the main thread's time for them. */
export type { Strangers } from "./strangers.js";
export { UNSENT_BYTES_MAX } from "./track-delivery.js";
