/**
 * camera: the device behind a channel: which models there are, how a model's streams are addressed, their sources.
 *
 * Belongs here: models, discovery, ONVIF, connecting a channel's streams as long as somebody wants them.
 * Does not belong here: RTSP itself (`rtsp`), when to record (`recording`), how a camera is configured by API (`api`).
 */
export * from "./camera-streams.js";
export * from "./managed-stream.js";
export * from "./models.js";
export * from "./rtsp-camera.js";
export * from "./stream-address.js";
