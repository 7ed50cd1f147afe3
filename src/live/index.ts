/**
 * live: frames, and the streams that pass them from a camera to its subscribers.
 *
 * Belongs here: slabs and leases, Frame, codecs and parameter sets, stream time, the fan-out with its current GOP.
 * Does not belong here: sockets, RTP and SDP (`rtsp`), files (`archive`), HTTP (`player`), when to record (`recording`).
 * Parts: `codec/`: codecs, their parameter sets and their bits.
 *
 * On the frame path nothing allocates per packet and nothing decides policy.
 */
export { aacConfig, parseAacConfig } from "./codec/aac-config.js";
export { adtsUnit, readAdtsFrame } from "./codec/adts-frame.js";
export { BitReader, rawPayload } from "./codec/bit-reader.js";
export { BitWriter, preventEmulation } from "./codec/bit-writer.js";
export {
  type AudioFormat,
  Codec,
  codecName,
  isAudioCodec,
  type MediaFormat,
  type VideoFormat,
} from "./codec/codec.js";
export {
  alawToUlaw,
  type G711Law,
  g711LawOf,
  g711ToPcm,
  l16ToPcm,
  pcmToG711,
  ulawToAlaw,
} from "./codec/g711.js";
export { h264Reordering, parseH264Sps, type SequenceParameters } from "./codec/h264-sps.js";
export { parseH265Sps } from "./codec/h265-sps.js";
export { makeH265Vps } from "./codec/h265-vps.js";
export { parseMpeg4VolSize } from "./codec/mpeg4-vol.js";
export { OPUS_PACKET_BYTES_MAX, OPUS_RATE, opusHeader, opusPacketSamples } from "./codec/opus.js";
export { DecodeTimeline } from "./decode-timeline.js";
export {
  Frame,
  type FrameFields,
  type FrameRange,
  type RecordedFrame,
  rangeByteLength,
  SlabRange,
} from "./frame.js";
export type { FrameReader } from "./frame-reader.js";
export { READ_BACK_MS_MAX } from "./frame-reading.js";
export type { FrameRecording } from "./frame-recording.js";
export { DOUBT_WAIT_US_MAX, FramesInDoubt } from "./frames-in-doubt.js";
export { GOP_BYTES_MAX, GOP_FRAMES_MAX, type GopStore, type KeptFrame } from "./kept-gop.js";
export { keyWaitText } from "./key-wait.js";
export {
  type FrameSink,
  LiveStream,
  type StreamState,
  type Subscription,
  whyNoFrames,
} from "./live-stream.js";
export { IDLE_SLABS_KEPT, SLAB_BYTES_DEFAULT, SLAB_POOL_BYTES_MAX_DEFAULT, Slab, SlabPool } from "./slab.js";
export { SlabFiller } from "./slab-filler.js";
export { STEP_BACK_US_MAX, StreamClock } from "./stream-clock.js";
export type { StreamDirectory } from "./stream-directory.js";
export {
  LOSS_DETAIL_CHARACTERS_MAX,
  LOSS_REPORTED_US,
  LOSS_RULES,
  lossWords,
  type ReportedLoss,
  StreamLosses,
} from "./stream-losses.js";
export { streamTrouble } from "./stream-trouble.js";
export {
  SLEW_PPM_MAX,
  type StampDoubt,
  type StreamTime,
  TrackClock,
  type TrackKind,
} from "./track-clock.js";
