/**
 * compat/video: GET /video: live and recorded frames without transcoding, and their sound.
 *
 * Belongs here: the endpoint; frames as parts of an answer; the pace of playback, shared by other outputs.
 * Does not belong here: transcoding (`mobile`), other protocols (`owner/hls`, `rtsp`).
 */
import type { Route } from "../../route/index.js";
import { VIDEO_ROUTE, type VideoNeeds } from "./get-video.js";

export type { VideoNeeds } from "./get-video.js";

export const VIDEO_ROUTES: readonly Route<VideoNeeds>[] = [VIDEO_ROUTE];
