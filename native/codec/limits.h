// The codec's limits; docs/design/codec.md gives the reason for each. Values set by TypeScript (threads, queue, memory
// of all decoders) are limited here too.
#pragma once
#include <cstddef>
#include <cstdint>

namespace nvrd::codec {

// Pool.
constexpr unsigned kThreadsMax = 64;
constexpr unsigned kQueueMax = 4096;
constexpr unsigned kOpenMax = 1024;
constexpr size_t kFrameBytesMax = size_t{64} << 30;
// Waiting jobs of one long-lived object, so that no stream fills the queue.
constexpr size_t kLaneQueueMax = 64;
// Nice value of the pool's threads: recording and the API come first.
constexpr int kThreadNice = 5;

// Input.
constexpr size_t kUnitBytesMax = 16u << 20;
constexpr size_t kUnitPiecesMax = 4096;
constexpr size_t kNalUnitsMax = 8192;
constexpr uint32_t kH265PictureSetsMax = 16;
constexpr size_t kStillUnitsMax = 2048;
constexpr size_t kStillBytesMax = 128u << 20;
constexpr size_t kInitializationBytesMax = 64u << 10;
constexpr size_t kTargetsMax = 8;
constexpr unsigned kJobMsMax = 60000;

// Pictures: 8192 a side and 8192 x 4608 in all (8K UHD is 33 of these 38 million).
constexpr int kSideMax = 8192;
constexpr int64_t kPixelsMax = int64_t{8192} * 4608;
// Frame memory of one decoder: 18 pictures of 4K (16 references, the current one, the one being output), 5 of 8K.
constexpr size_t kDecoderFrameBytesMax = size_t{320} << 20;
// Pictures that one unit may release, including held-back ones (H.264 A.3.1: a DPB has at most 16).
constexpr size_t kPicturesPerCallMax = 33;

// Most bytes of all pictures that one call returns: two of 8K as RGB.
constexpr size_t kAnswerBytesMax = size_t{256} << 20;

// Sides of the pictures that are analysed for motion.
constexpr int kMotionSideMax = 640;

// Encodings of one JPEG to find a quality that fits bytesMax.
constexpr int kJpegTriesMax = 8;
// Scratch memory that each thread keeps between pictures.
constexpr size_t kThreadScratchBytesMax = 8u << 20;
// Scalers and JPEG encoders that each thread keeps for the next picture of the same shape.
constexpr size_t kThreadToolsMax = 8;
// Longest that a thread without work keeps them.
constexpr unsigned kKeepMsMax = 3600000;

}  // namespace nvrd::codec
