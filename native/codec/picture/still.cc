// See still.h.
#include "still.h"

#include <memory>
#include <utility>
#include <vector>

#include "../bytes.h"
#include "../decode/decoder_options.h"
#include "../limits.h"
#include "made_picture.h"
#include "../pool.h"
#include "still_core.h"

namespace nvrd::codec {
namespace {

class StillJob : public Job {
 public:
  DecoderOptions options;
  std::vector<InputBytes> bytes;
  std::vector<StillUnit> units;
  std::vector<PictureTarget> targets;
  Deadline::Clock::time_point end;

  void Run(JobContext& context) override {
    const Deadline deadline = context.DeadlineAt(end);
    const auto sink = [this, &context](const DecodedPicture& picture) {
      return MakePictures(context.pictures, picture, targets, &made_, &bytes_made_);
    };
    failure = DecodeLast(options, units, deadline, sink);
  }

  Napi::Value Result(Napi::Env env) override { return GivePictures(env, &made_); }

 private:
  MadePictures made_;
  size_t bytes_made_ = 0;
};

// [bytes, key, presentationUs] of each unit.
bool ReadUnits(const Napi::Value& value, StillJob* job) {
  if (!value.IsArray()) return false;
  const Napi::Array given = value.As<Napi::Array>();
  const uint32_t count = given.Length();
  if (count == 0 || count > kStillUnitsMax) return false;
  // Do not resize later: `fill` refers to the elements.
  job->bytes.resize(count);
  job->units.resize(count);
  size_t total = 0;
  for (uint32_t index = 0; index < count; ++index) {
    const Napi::Value item = given.Get(index);
    if (!item.IsArray()) return false;
    const Napi::Array fields = item.As<Napi::Array>();
    const Napi::Value key = fields.Get(1u);
    const Napi::Value presentation = fields.Get(2u);
    InputBytes& bytes = job->bytes[index];
    if (!bytes.Take(fields.Get(0u), kStillBytesMax - total) || !key.IsBoolean() || !presentation.IsNumber()) return false;
    total += bytes.Size();
    StillUnit& unit = job->units[index];
    unit.key = key.As<Napi::Boolean>().Value();
    unit.presentation_us = presentation.As<Napi::Number>().Int64Value();
    unit.size = bytes.Size();
    unit.fill = [&bytes](uint8_t* target) { bytes.CopyTo(target); };
  }
  return true;
}

// decodeStill(decoder: [codec, implementation, initialization], units, targets, timeoutMs): Promise of Picture[].
Napi::Value DecodeStill(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  auto job = std::make_unique<StillJob>();
  if (!ReadDecoderOptions(info[0], &job->options) || !ReadUnits(info[1], job.get()) ||
      !ReadTargets(info[2], env.Undefined(), &job->targets) || !info[3].IsNumber()) {
    Napi::TypeError::New(env, "decodeStill: arguments outside their bounds").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  const uint32_t timeout_ms = std::min(info[3].As<Napi::Number>().Uint32Value(), kJobMsMax);
  job->end = Deadline::Clock::now() + std::chrono::milliseconds(timeout_ms);
  const std::shared_ptr<Pool> pool = Pool::Of(env);
  return pool->Submit(env, pool->SingleJobs(), std::move(job));
}

}  // namespace

void InitStill(Napi::Env env, Napi::Object exports) {
  exports.Set("decodeStill", Napi::Function::New<DecodeStill>(env, "decodeStill"));
}

}  // namespace nvrd::codec
