/**
 * live: frames and the meeting point of those who send and those who take them.
 *
 * Belongs here: slabs and leases, Frame, codecs and parameter sets, stream time, the fan-out with its current GOP.
 * Does not belong here: sockets, RTP and SDP (`rtsp`), files (`archive`), HTTP (`api`), when to record (`recording`).
 * On the frame path nothing allocates per packet and nothing decides policy.
 */
export * from "./aac-config.js";
export * from "./bit-reader.js";
export * from "./codec.js";
export * from "./decode-timeline.js";
export * from "./frame.js";
export * from "./h264-sps.js";
export * from "./h265-sps.js";
export * from "./live-stream.js";
export * from "./mpeg4-vol.js";
export * from "./slab.js";
export * from "./stream-clock.js";
export * from "./stream-directory.js";
export * from "./track-clock.js";
