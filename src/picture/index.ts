/**
 * picture: decoding and encoding of pictures and sound: the native codec, stills and transcoding.
 *
 * Belongs here: decoding, scaling, encoding on the codec's own threads; caches of stills; transcodes shared by viewers.
 * Does not belong here: where frames come from (`live`, `archive`), HTTP (`compat`), what motion means (`recording`).
 *
 * Parts: `codec/`: the native codec, hardware codecs, sound; `transcode/`: transcoding of live and recorded video;
 * `still/`: single pictures and their cache.
 */
export { CodecError } from "./codec/codec-error.js";
export type {
  Codec,
  CodecLoad,
  CodecTurn,
  CodedUnit,
  DecodeSkip,
  DecodeStillOptions,
  EncodedUnit,
  GrayPicture,
  MotionWatch,
  Picture,
  PicturePart,
  PictureTarget,
  RegionMotion,
  Rotation,
  SoundForm,
  SoundPiece,
  SoundTranscoder,
  SoundTranscoderOptions,
  VideoDecoder,
  VideoEncoder,
  VideoEncoderOptions,
  WatchedArea,
  WatchedZone,
  ZoneMotion,
} from "./codec/codec-types.js";
export { askCodecVersion } from "./codec/codec-version.js";
export { Hardware } from "./codec/hardware.js";
export { childProbe } from "./codec/hardware-probe.js";
export { LateCodec } from "./codec/late-codec.js";
export { motionIn } from "./codec/motion-watch.js";
export { CODEC_FRAME_BYTES_MAX, NativeCodec } from "./codec/native-codec.js";
export { PictureRate } from "./codec/picture-rate.js";
export { isSameAudioFormat, isSameVideoFormat } from "./codec/same-format.js";
export { soundTranscoderOptions } from "./codec/sound-form.js";
export { isPlainG711 } from "./codec/sound-transcoder.js";
export {
  fitInside,
  jpegBytesMax,
  type PictureSize,
  specKey,
  type TranscodedPicture,
  type TranscodeSpec,
} from "./codec/transcode-types.js";
export type { StillShare } from "./still/still-job.js";
export type { CutPicture, GrayPlane } from "./still/still-jpeg.js";
export {
  awaitLiveMaterial,
  keepConnected,
  type LivePicture,
  newestLiveFrame,
  newestLiveMaterial,
} from "./still/still-live.js";
export { RUN_BYTES_MAX, RUN_FRAMES_MAX, RunBound, runUntil, shownAt } from "./still/still-run.js";
export {
  type Still,
  type StillFrame,
  type StillMaterial,
  type StillSize,
  type StillSource,
  stillFrameText,
} from "./still/still-types.js";
export {
  STILLS_AT_ONCE_MAX,
  STILLS_PREPARING_MAX,
  STILLS_WAITING_MAX,
  Stills,
  type StillsOptions,
} from "./still/stills.js";
export { TextPictures } from "./still/text-pictures.js";
export { DecodingLoad } from "./transcode/decoding-load.js";
export { DECODER_IDLE_MS_MAX, LivePictures, type PictureTaker } from "./transcode/live-pictures.js";
export type { TranscodeViewer } from "./transcode/live-transcode.js";
export { PlaybackPictures, type PlaybackUnit } from "./transcode/playback-pictures.js";
export { Transcoding, type Watch } from "./transcode/transcoding.js";
