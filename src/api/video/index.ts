/**
 * api/video: GET /video: live and recorded frames without transcoding, and their sound.
 *
 * Belongs here: the endpoint; frames as parts of an answer; the pace of playback, shared by other outputs.
 * Does not belong here: transcoding (`mobile`), other protocols (`hls`, `rtsp`).
 */
import type { Route } from "../route/index.js";
import { VIDEO_ROUTE } from "./get-video.js";
import type { VideoNeeds } from "./needs.js";

export { FIRST_ARCHIVE_FRAME_TIMEOUT_MS } from "./archive-video.js";
export { FrameGate } from "./frame-gate.js";
export { formatPart } from "./frame-parts.js";
export { LiveSounds } from "./live-sound.js";
export { FIRST_FRAME_TIMEOUT_MS, LOST_CAMERA_TIMEOUT_MS, SILENCE_TIMEOUT_MS } from "./live-video.js";
export type { VideoNeeds } from "./needs.js";
export { PlaybackFormats } from "./playback-formats.js";
export { PlaybackPace, Waker } from "./playback-pace.js";
export type { SoundCodec } from "./sound-part.js";

export const VIDEO_ROUTES: readonly Route<VideoNeeds>[] = [VIDEO_ROUTE];
