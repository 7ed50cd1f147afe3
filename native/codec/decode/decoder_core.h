// One video decoder of libavcodec with limits on sizes, memory, time and the contents of a unit. No N-API, so that fuzz
// targets can link it. Used by one thread at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include <libavcodec/avcodec.h>
}

#include "../deadline.h"
#include "../failure.h"
#include "frame_memory.h"

namespace nvrd::codec {

// The numbers of src/live/codec/codec.ts.
enum class VideoCodec { kH264 = 1, kH265 = 2, kMpeg4 = 3, kMjpeg = 4 };

enum class Skip { kNone = 0, kNonReference = 1, kNonKey = 2 };

struct DecoderOptions {
  VideoCodec codec = VideoCodec::kH264;
  // libavcodec's name of the implementation; empty for its own software decoder.
  std::string name;
  // Parameter sets, as VideoFormat.initialization; may be empty.
  std::vector<uint8_t> initialization;
  // Most units that are decoded before and shown after another one, if known.
  int reorder_depth = 0;
};

// libavcodec's own decoder of a codec, even if a hardware one is registered before it; null if it has none.
const AVCodec* SoftwareDecoder(VideoCodec codec);

struct CodedUnitInfo {
  bool key = false;
  // Returned with its picture, Unix microseconds.
  int64_t presentation_us = 0;
  // Shown later than decoded.
  bool reordered = false;
};

struct DecodedPicture {
  const AVFrame* frame;
  int64_t presentation_us;
  // Errors were concealed in it, or in what it refers to.
  bool damaged;
  // Index, from 0, of the unit from which it was decoded.
  int64_t unit;
};

class DecoderCore {
 public:
  // Called for each picture, which is valid during the call. A failure ends the decoder's call and is returned.
  using Sink = std::function<Failure(const DecodedPicture&)>;

  static std::unique_ptr<DecoderCore> Open(const DecoderOptions& options, Failure* failure);
  ~DecoderCore();
  DecoderCore(const DecoderCore&) = delete;
  DecoderCore& operator=(const DecoderCore&) = delete;

  // Decodes the `size` bytes that `fill` writes. Undecodable bytes are a failure kCorrupt if no picture came out for
  // them; the decoder can still be used. One call cannot be interrupted inside one picture: see docs/design/codec.md.
  Failure Decode(const CodedUnitInfo& info, size_t size, const std::function<void(uint8_t*)>& fill, Skip skip,
                 const Deadline& deadline, const Sink& sink);
  // Outputs the pictures still held back; afterwards the decoder is reset and begins with a key frame.
  Failure Drain(const Deadline& deadline, const Sink& sink);

  const char* Name() const { return context_->codec->name; }

 private:
  struct InFlight {
    int64_t unit = -1;
    int64_t presentation_us = 0;
    bool tainted = false;
  };
  static constexpr size_t kInFlightMax = 64;

  explicit DecoderCore(VideoCodec codec) : codec_(codec) {}
  Failure OpenContext(const DecoderOptions& options, bool with_initialization);
  static int GetBuffer(AVCodecContext* context, AVFrame* frame, int flags);
  Failure CheckUnit(const uint8_t* data, size_t size) const;
  Failure Send(const AVPacket* packet, const Sink& sink);
  Failure Receive(const Sink& sink);
  void Reset();

  VideoCodec codec_;
  // Before context_, whose pictures are in this memory.
  FrameMemory memory_;
  AVCodecContext* context_ = nullptr;
  AVPacket* packet_ = nullptr;
  AVFrame* frame_ = nullptr;
  // Of the current call.
  const Deadline* deadline_ = nullptr;
  Failure refused_;
  size_t pictures_in_call_ = 0;

  InFlight in_flight_[kInFlightMax];
  int64_t next_unit_ = 0;
  // There was an error in this unit, or in one before it since the last whole key frame.
  bool tainted_ = false;
  // Units were skipped: nothing before the next key frame can be decoded.
  bool needs_key_ = false;
};

}  // namespace nvrd::codec
