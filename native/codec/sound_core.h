// One sound track, decoded, resampled to mono and encoded again. Plain C++: no N-API, so that a fuzzer can link it.
// Used by one thread at a time. G.711 is no business of this file: its samples come and go as PCM.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "failure.h"

struct AVCodecContext;
struct AVFrame;
struct AVPacket;
struct SwrContext;

namespace nvrd::codec {

constexpr int kSoundChannelsMax = 8;
constexpr int kSoundRateMin = 4000;
constexpr int kSoundRateMax = 192000;
// Most bytes of one unit: an AAC access unit has at most 6144 bits a channel (ISO/IEC 14496-3, 4.5.1.1); PCM units are
// G.711 packets decoded, two bytes a sample.
constexpr size_t kSoundAacUnitBytesMax = 8191;
constexpr size_t kSoundPcmUnitBytesMax = 256 * 1024;
// Longest AudioSpecificConfig taken.
constexpr size_t kSoundConfigBytesMax = 512;
// A unit whose time differs from where the sound before it ended by more than this starts the track again.
constexpr int64_t kSoundStepUs = 100000;
// Of a smaller difference, one part in so many is taken up with each unit: jitter is smoothed, drift followed.
constexpr double kSoundSlewParts = 8;
// Units in a row that do not decode before the track is given up.
constexpr int kSoundBadUnitsMax = 50;

enum class SoundInput { kPcm, kAac };
enum class SoundOutput { kPcm, kAac };

struct SoundSettings {
  SoundInput input = SoundInput::kPcm;
  // Samples a second and channels of the input; of AAC the stream itself says both.
  int input_rate = 8000;
  int input_channels = 1;
  // AAC: the AudioSpecificConfig.
  std::vector<uint8_t> config;
  SoundOutput output = SoundOutput::kPcm;
  // Samples a second of the output; mono.
  int output_rate = 8000;
};

struct SoundPiece {
  std::vector<uint8_t> data;
  // Of its first sample, Unix microseconds.
  int64_t time_us = 0;
  int64_t duration_us = 0;
};

class SoundCore {
 public:
  // Null, with the reason in `failure`, where the settings cannot be had.
  static std::unique_ptr<SoundCore> Open(const SoundSettings& settings, Failure* failure);
  ~SoundCore();
  SoundCore(const SoundCore&) = delete;
  SoundCore& operator=(const SoundCore&) = delete;

  // Takes one unit: native-endian 16-bit PCM, interleaved, or a raw AAC access unit. Adds what came out to `pieces`. A
  // unit that does not decode is skipped and counted; after kSoundBadUnitsMax of them in a row it fails as corrupt. The
  // next good unit is taken as ever.
  Failure Push(const uint8_t* bytes, size_t length, int64_t time_us, std::vector<SoundPiece>* pieces);

  uint64_t skipped_units() const { return skipped_units_; }

 private:
  explicit SoundCore(const SoundSettings& settings);
  Failure OpenDecoder();
  Failure OpenEncoder();
  bool TakePcm(const uint8_t* bytes, size_t length);
  bool DecodeAac(const uint8_t* bytes, size_t length);
  Failure SkipUnit();
  // Feeds `frame_` on.
  Failure TakeFrame(int64_t time_us, std::vector<SoundPiece>* pieces);
  Failure OpenResampler();
  void ResampleFrame(int64_t samples, std::vector<SoundPiece>* pieces);
  // Brings out what the resampler and the encoder hold, at the times they stand for, and forgets the past.
  Failure EndRun(std::vector<SoundPiece>* pieces);
  Failure EncodeWaiting(std::vector<SoundPiece>* pieces);
  Failure EncodeFrame(const float* samples, std::vector<SoundPiece>* pieces);
  Failure ReceivePackets(std::vector<SoundPiece>* pieces);
  void AddOutput(const uint8_t* samples, int count, double end_us, std::vector<SoundPiece>* pieces);

  SoundSettings settings_;
  AVCodecContext* decoder_ = nullptr;
  AVCodecContext* encoder_ = nullptr;
  SwrContext* resampler_ = nullptr;
  AVFrame* frame_ = nullptr;
  AVFrame* encoder_frame_ = nullptr;
  AVPacket* packet_ = nullptr;
  // What the resampler was opened for.
  int resampler_rate_ = 0;
  int resampler_channels_ = 0;
  int resampler_format_ = -1;
  std::vector<uint8_t> padded_;
  std::vector<uint8_t> converted_;
  // Samples that wait until the encoder's frame is full, and the time behind the last of them.
  std::vector<float> waiting_;
  double waiting_end_us_ = 0;
  bool running_ = false;
  // Time behind the last sample that was fed in.
  double expected_us_ = 0;
  // Samples given to the encoder since it was opened, and the time of each frame it has not answered yet.
  int64_t encoded_samples_ = 0;
  struct FrameTime {
    int64_t sample;
    double time_us;
  };
  std::deque<FrameTime> frame_times_;
  int bad_units_ = 0;
  uint64_t skipped_units_ = 0;
};

}  // namespace nvrd::codec
