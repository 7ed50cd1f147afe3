/**
 * picture: decoded pictures and sound: the native codec, stills and transcoding.
 *
 * Belongs here: decoding, scaling, encoding on the codec's own threads; caches of stills; transcodes shared by viewers.
 * Does not belong here: where frames come from (`live`, `archive`), HTTP (`api`), what motion means (`recording`).
 */
export * from "./codec-error.js";
export * from "./codec-types.js";
export { Hardware, type HardwareChoice } from "./hardware.js";
export { childProbe } from "./hardware-probe.js";
export { DECODER_IDLE_MS_MAX, LivePictures, type PictureTaker } from "./live-pictures.js";
export type { SoundListener } from "./live-sound.js";
export type { TranscodeViewer } from "./live-transcode.js";
export * from "./native-codec.js";
export * from "./picture-rate.js";
export type { PlaybackPictures, PlaybackUnit } from "./playback-pictures.js";
export * from "./same-format.js";
export { alawToUlaw } from "./sound-g711.js";
export { isPlainG711 } from "./sound-transcoder.js";
export type { StillShare } from "./still-job.js";
export { JPEG_BYTES_MAX } from "./still-jpeg.js";
export * from "./still-live.js";
export * from "./still-run.js";
export * from "./still-types.js";
export * from "./stills.js";
export * from "./transcode-types.js";
export { TRANSCODE_LINGER_MS, TRANSCODES_MAX, Transcoding, type Watch } from "./transcoding.js";
