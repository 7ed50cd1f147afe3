/**
 * rtsp: RTSP client and server, SDP, transports, RTP and RTCP, packetizers and depacketizers.
 *
 * Belongs here: everything between a camera's socket and a Frame, and the way back for the server.
 * Does not belong here: which camera to connect and when (`camera`), fan-out (`live`), files (`archive`).
 * Nothing here is native code: what parses the network is memory-safe.
 */

export { Authenticator } from "./client/authentication.js";
export * from "./client/dialer.js";
export * from "./client/login-gate.js";
export * from "./client/read-ticker.js";
export { RTSP_TIMEOUTS_DEFAULT, type RtspTimeouts } from "./client/rtsp-dialogue.js";
export { type FailureKind, RtspFailure } from "./client/rtsp-failure.js";
export * from "./client/rtsp-source.js";
export * from "./depacketize/annex-b.js";
export * from "./depacketize/frame-builder.js";
export * from "./depacketize/reorder-buffer.js";
export * from "./depacketize/rtp-receiver.js";
export * from "./depacketize/slab-window.js";
export * from "./depacketize/track-receiver.js";
export * from "./depacketize/types.js";
export * from "./depacketize/unit-losses.js";
export { parseRtspUrl, type RtspCredentials, type RtspUrl } from "./message/rtsp-url.js";
