/**
 * demo: simulated cameras: ONVIF devices whose streams are bundled clips, played in a loop over RTSP.
 *
 * Belongs here: the clips, splitting them into access units, pacing, their sound; what these devices answer.
 * Does not belong here: RTSP and RTP (`rtsp/server`), SOAP and discovery of a device (`onvif`), finding the cameras
 * and adding them to a site (`camera`, `owner`). Nothing imports it but `command`.
 */
export { type Clip, type ClipSettings, parseClip } from "./clip.js";
export { ambientLane, ClipPlayer, clipLane, type Lane } from "./clip-player.js";
export { type DemoCamera, DemoCameras, readClip } from "./demo-cameras.js";
