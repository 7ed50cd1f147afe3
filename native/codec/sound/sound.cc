// See sound.h.
#include "sound.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../bytes.h"
#include "../options.h"
#include "../pool.h"
#include "sound_core.h"

namespace nvrd::codec {
namespace {

// Opened by the first job, because finding codecs and building their tables takes too long for the main thread.
struct SoundTrack {
  SoundSettings settings;
  std::unique_ptr<SoundCore> core;
};

class PushJob : public Job {
 public:
  PushJob(std::shared_ptr<SoundTrack> track, std::vector<uint8_t> unit, int64_t time_us)
      : track_(std::move(track)), unit_(std::move(unit)), time_us_(time_us) {}

  void Run(JobContext&) override {
    if (track_->core == nullptr) track_->core = SoundCore::Open(track_->settings, &failure);
    if (track_->core == nullptr) return;
    failure = track_->core->Push(unit_.data(), unit_.size(), time_us_, &pieces_);
  }

  Napi::Value Result(Napi::Env env) override {
    Napi::Array result = Napi::Array::New(env, pieces_.size());
    uint32_t index = 0;
    for (const SoundPiece& piece : pieces_) {
      OutputBytes data(piece.data.size());
      std::copy(piece.data.begin(), piece.data.end(), data.Data());
      Napi::Object entry = Napi::Object::New(env);
      entry.Set("data", data.Give(env));
      entry.Set("timeUs", Napi::Number::New(env, static_cast<double>(piece.time_us)));
      entry.Set("durationUs", Napi::Number::New(env, static_cast<double>(piece.duration_us)));
      result.Set(index++, entry);
    }
    return result;
  }

 private:
  std::shared_ptr<SoundTrack> track_;
  std::vector<uint8_t> unit_;
  int64_t time_us_;
  std::vector<SoundPiece> pieces_;
};

// new SoundTranscoder({ input: "pcm" | "aac" | "opus", inputRate, inputChannels, config, output: "pcm" | "aac", outputRate, whenIdle? })
class SoundTranscoder : public Napi::ObjectWrap<SoundTranscoder> {
 public:
  static Napi::Function Define(Napi::Env env) {
    return DefineClass(env, "SoundTranscoder",
                       {InstanceMethod<&SoundTranscoder::Push>("push"), InstanceMethod<&SoundTranscoder::Close>("close")});
  }

  explicit SoundTranscoder(const Napi::CallbackInfo& info) : Napi::ObjectWrap<SoundTranscoder>(info) {
    const Napi::Env env = info.Env();
    auto track = std::make_shared<SoundTrack>();
    if (!ReadSettings(info[0], &track->settings)) {
      ErrorOf(env, Failure::Of(FailureKind::kTooLarge, "sound settings out of bounds")).ThrowAsJavaScriptException();
      return;
    }
    pool_ = Pool::Of(env);
    lane_ = pool_->OpenLane(ReadFlag(info[0].As<Napi::Object>(), "whenIdle"));
    if (lane_ == nullptr) {
      ErrorOf(env, Failure::Of(FailureKind::kBusy, "too many codecs are open")).ThrowAsJavaScriptException();
      return;
    }
    track_ = std::move(track);
  }

  void Finalize(Napi::Env env) override {
    if (lane_ != nullptr) pool_->CloseLane(env, lane_);
  }

 private:
  static SoundInput InputOf(const std::string& name) {
    if (name == "aac") return SoundInput::kAac;
    return name == "opus" ? SoundInput::kOpus : SoundInput::kPcm;
  }

  static bool ReadSettings(const Napi::Value& value, SoundSettings* settings) {
    if (!value.IsObject()) return false;
    const Napi::Object options = value.As<Napi::Object>();
    std::string input;
    std::string output;
    double input_rate = 0;
    double input_channels = 0;
    double output_rate = 0;
    if (!ReadText(options, "input", &input) || !ReadText(options, "output", &output) ||
        !ReadNumber(options, "inputRate", kSoundRateMin, kSoundRateMax, &input_rate) ||
        !ReadNumber(options, "inputChannels", 1, kSoundChannelsMax, &input_channels) ||
        !ReadNumber(options, "outputRate", kSoundRateMin, kSoundRateMax, &output_rate) ||
        !ReadBytes(options, "config", kSoundConfigBytesMax, &settings->config)) {
      return false;
    }
    settings->input = InputOf(input);
    settings->output = output == "aac" ? SoundOutput::kAac : SoundOutput::kPcm;
    settings->input_rate = static_cast<int>(input_rate);
    settings->input_channels = static_cast<int>(input_channels);
    settings->output_rate = static_cast<int>(output_rate);
    return true;
  }

  // push(pieces: Uint8Array[], timeUs): Promise<{ data, timeUs, durationUs }[]>. Copies the unit at once, as it is
  // small.
  Napi::Value Push(const Napi::CallbackInfo& info) {
    InputBytes bytes;
    if (track_ == nullptr || !info[1].IsNumber() || !bytes.Take(info[0], kSoundPcmUnitBytesMax)) {
      ErrorOf(info.Env(), Failure::Of(FailureKind::kTooLarge, "a unit of sound that is too long, or none"))
          .ThrowAsJavaScriptException();
      return info.Env().Undefined();
    }
    std::vector<uint8_t> unit(bytes.Size());
    bytes.CopyTo(unit.data());
    auto job = std::make_unique<PushJob>(track_, std::move(unit), info[1].As<Napi::Number>().Int64Value());
    return pool_->Submit(info.Env(), lane_, std::move(job));
  }

  // close(): waiting jobs are rejected; the memory is freed with the last job.
  void Close(const Napi::CallbackInfo& info) {
    if (lane_ != nullptr) pool_->CloseLane(info.Env(), lane_);
    track_.reset();
  }

  std::shared_ptr<Pool> pool_;
  std::shared_ptr<Lane> lane_;
  std::shared_ptr<SoundTrack> track_;
};

}  // namespace

void InitSound(Napi::Env env, Napi::Object exports) {
  exports.Set("SoundTranscoder", SoundTranscoder::Define(env));
}

}  // namespace nvrd::codec
