/**
 * demo: cameras for a machine that has none: bundled clips played in a loop over RTSP.
 *
 * Belongs here: the clips, cutting them into access units, pacing them, their sound.
 * Does not belong here: RTSP and RTP (`rtsp/server`), adding the cameras to a site (`main`). Nothing imports it but main.
 */
export { type AccessUnit, type Clip, type ClipSettings, parseClip } from "./clip.js";
export { ambientLane, ClipPlayer, clipLane, type Lane } from "./clip-player.js";
export { type DemoCamera, DemoCameras, type DemoCamerasOptions, readClip } from "./demo-cameras.js";
