/**
 * picture: decoded pictures and sound: the native codec, stills and transcoding.
 *
 * Belongs here: decoding, scaling, encoding on the codec's own threads; caches of stills; transcodes shared by viewers.
 * Does not belong here: where frames come from (`live`, `archive`), HTTP (`api`), what motion means (`recording`).
 */
export * from "./codec-error.js";
export * from "./codec-types.js";
export * from "./native-codec.js";
export { alawToUlaw } from "./sound-g711.js";
export { isPlainG711 } from "./sound-transcoder.js";
