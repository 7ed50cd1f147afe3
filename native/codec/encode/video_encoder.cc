// See video_encoder.h.
#include "video_encoder.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../bytes.h"
#include "../options.h"
#include "../pool.h"
#include "video_encoder_core.h"

namespace nvrd::codec {
namespace {

// Opened by the first job, as decoders are.
struct EncoderState {
  VideoEncoderSettings settings;
  std::unique_ptr<VideoEncoderCore> core;
};

class EncodeJob : public Job {
 public:
  EncodeJob(std::shared_ptr<EncoderState> state, int64_t time_us, bool force_key)
      : state_(std::move(state)), time_us_(time_us), force_key_(force_key) {}

  bool Take(const Napi::Value& pieces, size_t bytes_max) { return picture_.Take(pieces, bytes_max); }

  void Run(JobContext&) override {
    if (state_->core == nullptr) state_->core = VideoEncoderCore::Open(state_->settings, &failure);
    if (state_->core == nullptr) return;
    std::vector<uint8_t> picture(picture_.Size());
    picture_.CopyTo(picture.data());
    failure = state_->core->Encode(picture.data(), picture.size(), time_us_, force_key_, &units_);
  }

  Napi::Value Result(Napi::Env env) override {
    Napi::Array result = Napi::Array::New(env, units_.size());
    uint32_t index = 0;
    for (const EncodedUnit& unit : units_) {
      OutputBytes data(unit.data.size());
      std::copy(unit.data.begin(), unit.data.end(), data.Data());
      Napi::Object entry = Napi::Object::New(env);
      entry.Set("data", data.Give(env));
      entry.Set("key", Napi::Boolean::New(env, unit.key));
      entry.Set("timeUs", Napi::Number::New(env, static_cast<double>(unit.time_us)));
      result.Set(index++, entry);
    }
    return result;
  }

 private:
  std::shared_ptr<EncoderState> state_;
  InputBytes picture_;
  int64_t time_us_;
  bool force_key_;
  std::vector<EncodedUnit> units_;
};

// new VideoEncoder({ name, width, height, framesPerSecond, bitsPerSecond, gopLength, whenIdle? })
class VideoEncoder : public Napi::ObjectWrap<VideoEncoder> {
 public:
  static Napi::Function Define(Napi::Env env) {
    return DefineClass(env, "VideoEncoder",
                       {InstanceMethod<&VideoEncoder::Encode>("encode"), InstanceMethod<&VideoEncoder::Close>("close")});
  }

  explicit VideoEncoder(const Napi::CallbackInfo& info) : Napi::ObjectWrap<VideoEncoder>(info) {
    const Napi::Env env = info.Env();
    auto state = std::make_shared<EncoderState>();
    if (!ReadSettings(info[0], &state->settings)) {
      ErrorOf(env, Failure::Of(FailureKind::kTooLarge, "encoder settings out of bounds")).ThrowAsJavaScriptException();
      return;
    }
    pool_ = Pool::Of(env);
    lane_ = pool_->OpenLane(ReadFlag(info[0].As<Napi::Object>(), "whenIdle"));
    if (lane_ == nullptr) {
      ErrorOf(env, Failure::Of(FailureKind::kBusy, "too many codecs are open")).ThrowAsJavaScriptException();
      return;
    }
    picture_bytes_ = VideoEncoderCore::PictureBytes(state->settings.width, state->settings.height);
    state_ = std::move(state);
  }

  void Finalize(Napi::Env env) override {
    if (lane_ != nullptr) pool_->CloseLane(env, lane_);
  }

 private:
  static bool ReadSettings(const Napi::Value& value, VideoEncoderSettings* settings) {
    if (!value.IsObject()) return false;
    const Napi::Object options = value.As<Napi::Object>();
    double width = 0;
    double height = 0;
    double bits = 0;
    double gop = 0;
    if (!ReadText(options, "name", &settings->name) ||
        !ReadNumber(options, "width", kEncoderSideMin, kEncoderSideMax, &width) ||
        !ReadNumber(options, "height", kEncoderSideMin, kEncoderSideMax, &height) ||
        !ReadNumber(options, "framesPerSecond", kEncoderRateMin, kEncoderRateMax, &settings->frames_per_second) ||
        !ReadNumber(options, "bitsPerSecond", kEncoderBitsMin, kEncoderBitsMax, &bits) ||
        !ReadNumber(options, "gopLength", 1, kEncoderGopMax, &gop)) {
      return false;
    }
    settings->width = static_cast<int>(width);
    settings->height = static_cast<int>(height);
    settings->bits_per_second = static_cast<int64_t>(bits);
    settings->gop_length = static_cast<int>(gop);
    return true;
  }

  // encode(picture: Uint8Array[], timeUs, forceKey): Promise<{ data, key, timeUs }[]>. The picture is packed 4:2:0.
  Napi::Value Encode(const Napi::CallbackInfo& info) {
    auto job = state_ == nullptr || !info[1].IsNumber() || !info[2].IsBoolean()
                   ? nullptr
                   : std::make_unique<EncodeJob>(state_, info[1].As<Napi::Number>().Int64Value(),
                                                 info[2].As<Napi::Boolean>().Value());
    if (job == nullptr || !job->Take(info[0], picture_bytes_)) {
      ErrorOf(info.Env(), Failure::Of(FailureKind::kUnsupported, "the picture has not the encoder's size"))
          .ThrowAsJavaScriptException();
      return info.Env().Undefined();
    }
    return pool_->Submit(info.Env(), lane_, std::move(job));
  }

  // close(): waiting jobs are rejected; the memory is freed with the last job.
  void Close(const Napi::CallbackInfo& info) {
    if (lane_ != nullptr) pool_->CloseLane(info.Env(), lane_);
    state_.reset();
  }

  std::shared_ptr<Pool> pool_;
  std::shared_ptr<Lane> lane_;
  std::shared_ptr<EncoderState> state_;
  size_t picture_bytes_ = 0;
};

}  // namespace

void InitVideoEncoder(Napi::Env env, Napi::Object exports) {
  exports.Set("VideoEncoder", VideoEncoder::Define(env));
}

}  // namespace nvrd::codec
