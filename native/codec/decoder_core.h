// One video decoder of libavcodec behind bounds: on sizes, memory, time, and what a unit may hold. No N-API: fuzz
// targets link it. Used by one thread at a time.
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

#include "deadline.h"
#include "failure.h"
#include "frame_memory.h"

namespace nvrd::codec {

// The numbers of src/live/codec.ts.
enum class VideoCodec { kH264 = 1, kH265 = 2, kMpeg4 = 3, kMjpeg = 4 };

enum class Skip { kNone = 0, kNonReference = 1, kNonKey = 2 };

struct DecoderOptions {
  VideoCodec codec = VideoCodec::kH264;
  // The implementation by libavcodec's name; empty for its own of the codec.
  std::string name;
  // Parameter sets, as VideoFormat.initialization; may be empty.
  std::vector<uint8_t> initialization;
  // Units that are decoded before and shown after another one, where that is known.
  int reorder_depth = 0;
};

// libavcodec's own decoder of a codec, even where a hardware one is registered before it; null where it has none.
const AVCodec* SoftwareDecoder(VideoCodec codec);

struct CodedUnitInfo {
  bool key = false;
  // Handed back with its picture, Unix microseconds.
  int64_t presentation_us = 0;
  // Shown later than decoded.
  bool reordered = false;
};

struct DecodedPicture {
  const AVFrame* frame;
  int64_t presentation_us;
  // Errors were concealed in it, or in what it refers to.
  bool damaged;
  // Counts the units given, from 0: the one it was decoded from.
  int64_t unit;
};

class DecoderCore {
 public:
  // Called for each picture, which lives as long as the call. A failure ends the decoder's call with it.
  using Sink = std::function<Failure(const DecodedPicture&)>;

  static std::unique_ptr<DecoderCore> Open(const DecoderOptions& options, Failure* failure);
  ~DecoderCore();
  DecoderCore(const DecoderCore&) = delete;
  DecoderCore& operator=(const DecoderCore&) = delete;

  // Decodes the `size` bytes that `fill` writes. What cannot be decoded is a failure kCorrupt when no picture came out
  // for it; the decoder can be used further. One call cannot be interrupted inside one picture: see docs/design/codec.md.
  Failure Decode(const CodedUnitInfo& info, size_t size, const std::function<void(uint8_t*)>& fill, Skip skip,
                 const Deadline& deadline, const Sink& sink);
  // What it still holds back; afterwards it is as new and begins with a key frame.
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
  // Before context_: its pictures live in it.
  FrameMemory memory_;
  AVCodecContext* context_ = nullptr;
  AVPacket* packet_ = nullptr;
  AVFrame* frame_ = nullptr;
  // Of the call that is running.
  const Deadline* deadline_ = nullptr;
  Failure refused_;
  size_t pictures_in_call_ = 0;

  InFlight in_flight_[kInFlightMax];
  int64_t next_unit_ = 0;
  // An error hit this unit or one before it since the last whole key frame.
  bool tainted_ = false;
  // Units were left out: nothing before the next key frame can be decoded.
  bool needs_key_ = false;
};

}  // namespace nvrd::codec
