// One sound track, decoded, resampled to mono and encoded again. Plain C++: no N-API, so that a fuzzer can link it.
// Used by one thread at a time. G.711 is not handled here: its samples are passed as PCM.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "../failure.h"

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
// An Opus packet has at most 48 frames of 1275 bytes (RFC 6716, 3.2 and 3.4).
constexpr size_t kSoundOpusUnitBytesMax = 61440;
constexpr size_t kSoundPcmUnitBytesMax = 256 * 1024;
// Longest AudioSpecificConfig or Opus header accepted.
constexpr size_t kSoundConfigBytesMax = 512;
// A unit whose time differs from the end of the previous sound by more than this restarts the track.
constexpr int64_t kSoundStepUs = 100000;
// With each unit, this fraction (1/8) of a smaller difference is corrected, which smooths jitter and follows drift.
constexpr double kSoundSlewParts = 8;
// What is earlier than the output before by less than this is given that one's time: units that a stalled link brings at once have
// times closer to each other than they last. By more, the clock was set back.
constexpr int64_t kSoundBackUs = 1000000;
// Undecodable units in a row after which Push fails.
constexpr int kSoundBadUnitsMax = 50;

enum class SoundInput { kPcm, kAac, kOpus };
enum class SoundOutput { kPcm, kAac };

struct SoundSettings {
  SoundInput input = SoundInput::kPcm;
  // Sample rate and channels of PCM; for the others they are in the stream.
  int input_rate = 8000;
  int input_channels = 1;
  // AAC: the AudioSpecificConfig. Opus: the identification header (RFC 7845, 5.1).
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
  // Null, with the reason in `failure`, if the settings are not supported.
  static std::unique_ptr<SoundCore> Open(const SoundSettings& settings, Failure* failure);
  ~SoundCore();
  SoundCore(const SoundCore&) = delete;
  SoundCore& operator=(const SoundCore&) = delete;

  // Takes one unit: native-endian 16-bit PCM, interleaved, a raw AAC access unit or an Opus packet. Adds what came out to `pieces`. A
  // unit that does not decode is skipped and counted; after kSoundBadUnitsMax of them in a row it fails as corrupt. The
  // next good unit is processed normally.
  Failure Push(const uint8_t* bytes, size_t length, int64_t time_us, std::vector<SoundPiece>* pieces);

  uint64_t skipped_units() const { return skipped_units_; }

 private:
  explicit SoundCore(const SoundSettings& settings);
  Failure OpenDecoder();
  Failure OpenEncoder();
  bool TakePcm(const uint8_t* bytes, size_t length);
  bool Decode(const uint8_t* bytes, size_t length);
  Failure SkipUnit();
  // Processes `frame_`.
  Failure TakeFrame(int64_t time_us, std::vector<SoundPiece>* pieces);
  Failure OpenResampler();
  void ResampleFrame(int64_t samples, std::vector<SoundPiece>* pieces);
  // Flushes resampler and encoder, with the correct times, and resets the state.
  Failure EndRun(std::vector<SoundPiece>* pieces);
  void KeepOrder(std::vector<SoundPiece>* pieces);
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
  // The input format of the resampler.
  int resampler_rate_ = 0;
  int resampler_channels_ = 0;
  int resampler_format_ = -1;
  std::vector<uint8_t> padded_;
  std::vector<uint8_t> converted_;
  // Samples that wait until the encoder's frame is full, and the time at their end.
  std::vector<float> waiting_;
  double waiting_end_us_ = 0;
  bool running_ = false;
  // Time at the end of the input so far.
  double expected_us_ = 0;
  // Time of the newest output.
  std::optional<int64_t> output_us_;
  // Samples sent to the encoder since it was opened, and the time of each frame whose packet has not come out yet.
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
