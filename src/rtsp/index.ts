/**
 * rtsp: RTSP client and server, SDP, transports, RTP and RTCP, packetizers and depacketizers.
 *
 * Belongs here: everything between a camera's socket and a Frame, and the way back for the server.
 * Does not belong here: which camera to connect and when (`camera`), fan-out (`live`), files (`archive`).
 * Nothing here is native code: what parses the network is memory-safe.
 */

export * from "./annex-b.js";
export { Authenticator } from "./authentication.js";
export * from "./dialer.js";
export * from "./frame-builder.js";
export * from "./login-gate.js";
export * from "./read-ticker.js";
export * from "./reorder-buffer.js";
export * from "./rtp-receiver.js";
export { RTSP_TIMEOUTS_DEFAULT, type RtspTimeouts } from "./rtsp-dialogue.js";
export { type FailureKind, RtspFailure } from "./rtsp-failure.js";
export * from "./rtsp-source.js";
export { parseRtspUrl, type RtspCredentials, type RtspUrl } from "./rtsp-url.js";
export * from "./slab-window.js";
export * from "./track-receiver.js";
export * from "./types.js";
export * from "./unit-losses.js";
