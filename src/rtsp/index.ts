/**
 * rtsp: RTSP client and server, SDP, transports, RTP and RTCP, packetizers and depacketizers.
 *
 * Belongs here: everything from a camera's socket to a Frame, and from a Frame to a viewer's socket.
 * Does not belong here: which camera to connect and when (`camera`), fan-out (`live`), files (`archive`).
 * All parsing of network data is memory-safe, except runs of fragments, which the addon takes (docs/design/frames.md): the rest of
 * a slice whose beginning was parsed here.
 *
 * Parts: `message/`: messages and URLs; `rtp/`: packets, whatever their payload is: the memory that they are read into, order, losses,
 * times, RTCP, SRTP; `depacketize/`: from RTP packets to frames; `packetize/`: from frames to RTP packets; `client/`: the connection to
 * a camera; `server/`: the server for viewers (with its own `index.ts`).
 */

export { Authenticator } from "./client/authentication.js";
export { BackChannel, type SoundWanted } from "./client/back-channel.js";
export type { LoginGate, LoginTurn, LoginWaiting } from "./client/login-gate.js";
export { ReadTicker } from "./client/read-ticker.js";
export { RTSP_TIMEOUTS_DEFAULT, type RtspTimeouts } from "./client/rtsp-dialogue.js";
export { keyChangedWords, RtspFailure } from "./client/rtsp-failure.js";
export { RtspReplay } from "./client/rtsp-replay.js";
export { RtspSource, type RtspSourceOptions, type TransportChoice } from "./client/rtsp-source.js";
export { NetworkDialer } from "./client/socket/dialer.js";
export { CAMERA_TLS, type PeerKey, peerKeyOf } from "./client/socket/peer-key.js";
export { ChunkRemover, type HttpHead, HttpHeadReader, isChunked } from "./client/socket/tunnel-http.js";
export { splitAnnexB } from "./depacketize/annex-b.js";
export { ACCESS_UNIT_BYTES_MAX, FrameBuilder } from "./depacketize/frame-builder.js";
export { createTrackReceiver, type TrackReceiver, UNIT_SILENCE_MS } from "./depacketize/track-receiver.js";
export { LOSSES_REPORT_INTERVAL_US, UnitLosses } from "./depacketize/unit-losses.js";
export { parseRtspUrl, STREAM_PORTS, STREAM_SCHEME, type StreamScheme } from "./message/rtsp-url.js";
export { REORDER_DELAY_MS_MAX, REORDER_PACKETS_MAX, ReorderBuffer } from "./rtp/reorder-buffer.js";
export { RtpReceiver, type RtpReceiverOptions } from "./rtp/rtp-receiver.js";
export {
  READ_BYTES_MIN,
  SlabWindow,
  WINDOW_HEADROOM_BYTES,
  WINDOW_SLAB_BYTES_MIN,
} from "./rtp/slab-window.js";
export type { MediaTrack } from "./rtp/types.js";
