/**
 * live: frames and the meeting point of those who send and those who take them.
 *
 * Belongs here: slabs and leases, Frame, codecs and parameter sets, stream time, the fan-out with its current GOP.
 * Does not belong here: sockets, RTP and SDP (`rtsp`), files (`archive`), HTTP (`api`), when to record (`recording`).
 * On the frame path nothing allocates per packet and nothing decides policy.
 */
export * from "./codec.js";
export * from "./frame.js";
export * from "./live-stream.js";
export * from "./slab.js";
export * from "./stream-clock.js";
