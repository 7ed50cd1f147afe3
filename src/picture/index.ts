/**
 * picture: decoded pictures and sound: the native codec, stills and transcoding.
 *
 * Belongs here: decoding, scaling, encoding on the codec's own threads; caches of stills; transcodes shared by viewers.
 * Does not belong here: where frames come from (`live`, `archive`), HTTP (`api`), what motion means (`recording`).
 */
export * from "./codec/codec-error.js";
export * from "./codec/codec-types.js";
export { Hardware, type HardwareChoice } from "./codec/hardware.js";
export { childProbe } from "./codec/hardware-probe.js";
export * from "./codec/native-codec.js";
export * from "./codec/picture-rate.js";
export * from "./codec/same-format.js";
export { alawToUlaw } from "./codec/sound-g711.js";
export { isPlainG711 } from "./codec/sound-transcoder.js";
export * from "./codec/transcode-types.js";
export type { StillShare } from "./still/still-job.js";
export { JPEG_BYTES_MAX } from "./still/still-jpeg.js";
export * from "./still/still-live.js";
export * from "./still/still-run.js";
export * from "./still/still-types.js";
export * from "./still/stills.js";
export { DECODER_IDLE_MS_MAX, LivePictures, type PictureTaker } from "./transcode/live-pictures.js";
export type { SoundListener } from "./transcode/live-sound.js";
export type { TranscodeViewer } from "./transcode/live-transcode.js";
export type { PlaybackPictures, PlaybackUnit } from "./transcode/playback-pictures.js";
export { TRANSCODE_LINGER_MS, TRANSCODES_MAX, Transcoding, type Watch } from "./transcode/transcoding.js";
