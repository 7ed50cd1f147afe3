// One H.264 encoder: no B-frames, nothing held back, Annex B with parameter sets before each key frame. Plain C++: no
// N-API, so that a fuzzer can link it. Used by one thread at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "../failure.h"

struct AVCodecContext;
struct AVFrame;
struct AVPacket;

namespace nvrd::codec {

constexpr int kEncoderSideMin = 16;
constexpr int kEncoderSideMax = 4096;
constexpr double kEncoderRateMin = 0.1;
constexpr double kEncoderRateMax = 120;
constexpr int64_t kEncoderBitsMin = 16000;
constexpr int64_t kEncoderBitsMax = 50000000;
constexpr int kEncoderGopMax = 1000;
// Frames that a hardware encoder may hold before it counts as stuck.
constexpr size_t kEncoderFramesHeldMax = 32;

struct VideoEncoderSettings {
  // libavcodec's name of it: libx264, h264_v4l2m2m, h264_rkmpp.
  std::string name;
  // Size of the pictures; with an odd side, the coded picture loses the last row or column (4:2:0 requires even sides).
  int width = 0;
  int height = 0;
  double frames_per_second = 0;
  int64_t bits_per_second = 0;
  int gop_length = 0;
};

struct EncodedUnit {
  std::vector<uint8_t> data;
  bool key = false;
  int64_t time_us = 0;
};

class VideoEncoderCore {
 public:
  // Null, with the reason in `failure`, if there is no such encoder or it cannot be opened with these settings.
  static std::unique_ptr<VideoEncoderCore> Open(const VideoEncoderSettings& settings, Failure* failure);
  ~VideoEncoderCore();
  VideoEncoderCore(const VideoEncoderCore&) = delete;
  VideoEncoderCore& operator=(const VideoEncoderCore&) = delete;

  // Bytes of a packed 4:2:0 picture: Y, U, V.
  static size_t PictureBytes(int width, int height);

  // Encodes a packed 4:2:0 picture of PictureBytes(). Adds what came out to `units`.
  Failure Encode(const uint8_t* picture, size_t length, int64_t time_us, bool force_key, std::vector<EncodedUnit>* units);

 private:
  explicit VideoEncoderCore(const VideoEncoderSettings& settings) : settings_(settings) {}
  Failure OpenContext(bool semi_planar);
  Failure FillFrame(const uint8_t* picture);
  Failure Receive(std::vector<EncodedUnit>* units);
  void AddUnit(std::vector<EncodedUnit>* units);

  VideoEncoderSettings settings_;
  AVCodecContext* context_ = nullptr;
  AVFrame* frame_ = nullptr;
  AVPacket* packet_ = nullptr;
  // NV12: some hardware accepts nothing else.
  bool semi_planar_ = false;
  int64_t frames_ = 0;
  struct FrameTime {
    int64_t number;
    int64_t time_us;
  };
  // Frames whose packets have not come out yet.
  std::deque<FrameTime> in_flight_;
  // The last SPS and PPS seen, with their start codes: hardware encoders send them only once.
  std::vector<uint8_t> parameter_sets_;
};

}  // namespace nvrd::codec
