// See video_decoder.h.
#include "video_decoder.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "../bytes.h"
#include "decoder_core.h"
#include "decoder_options.h"
#include "../limits.h"
#include "../picture/made_picture.h"
#include "../pool.h"

namespace nvrd::codec {
namespace {

// Shared by the jobs of one decoder, which run one after another, so it needs no lock. It lives as long as the last
// job.
struct Session {
  DecoderOptions options;
  unsigned job_ms_max = 0;
  std::unique_ptr<DecoderCore> core;
  // Processor time of its jobs, microseconds. Read on the main thread.
  std::atomic<int64_t> busy_us{0};

  // Called by the first job, on its thread: a hardware decoder may open slowly.
  Failure EnsureOpen() {
    Failure failure;
    if (core == nullptr) core = DecoderCore::Open(options, &failure);
    return failure;
  }
};

// Adds the processor time of this thread, from its construction to its destruction.
class BusyTime {
 public:
  explicit BusyTime(std::atomic<int64_t>* sum_us) : sum_us_(sum_us), began_us_(Now()) {}
  ~BusyTime() { sum_us_->fetch_add(Now() - began_us_, std::memory_order_relaxed); }
  BusyTime(const BusyTime&) = delete;
  BusyTime& operator=(const BusyTime&) = delete;

 private:
  static int64_t Now() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return int64_t{now.tv_sec} * 1000000 + now.tv_nsec / 1000;
  }

  std::atomic<int64_t>* sum_us_;
  int64_t began_us_;
};

class DecodeJob : public Job {
 public:
  std::shared_ptr<Session> session;
  // Keeps the decoder alive while its work waits.
  Napi::ObjectReference owner;
  // No unit: flush the decoder.
  bool flush = false;
  InputBytes bytes;
  CodedUnitInfo unit;
  Skip skip = Skip::kNone;
  std::vector<PictureTarget> targets;

  void Run(JobContext& context) override {
    const BusyTime busy(&session->busy_us);
    const Deadline deadline = context.DeadlineIn(session->job_ms_max);
    failure = session->EnsureOpen();
    if (failure) return;
    const auto sink = [this, &context](const DecodedPicture& picture) {
      if (targets.empty()) return Failure::None();
      made_.emplace_back();
      return MakePictures(context.pictures, picture, targets, &made_.back(), &bytes_made_);
    };
    const auto fill = [this](uint8_t* target) { bytes.CopyTo(target); };
    failure = flush ? session->core->Drain(deadline, sink)
                    : session->core->Decode(unit, bytes.Size(), fill, skip, deadline, sink);
  }

  Napi::Value Result(Napi::Env env) override {
    Napi::Array pictures = Napi::Array::New(env, made_.size());
    for (uint32_t index = 0; index < made_.size(); ++index) pictures.Set(index, GivePictures(env, &made_[index]));
    return pictures;
  }

 private:
  std::vector<MadePictures> made_;
  size_t bytes_made_ = 0;
};

class VideoDecoder : public Napi::ObjectWrap<VideoDecoder> {
 public:
  static void Init(Napi::Env env, Napi::Object exports) {
    exports.Set("VideoDecoder", DefineClass(env, "VideoDecoder",
                                            {InstanceMethod<&VideoDecoder::Decode>("decode"),
                                             InstanceMethod<&VideoDecoder::Flush>("flush"),
                                             InstanceMethod<&VideoDecoder::BusyUs>("busyUs"),
                                             InstanceMethod<&VideoDecoder::Close>("close")}));
  }

  // new VideoDecoder([codec, implementation, initialization], jobMsMax, whenIdle). Throws kBusy when openMax objects are open.
  explicit VideoDecoder(const Napi::CallbackInfo& info)
      : ObjectWrap(info), pool_(Pool::Of(info.Env())), session_(std::make_shared<Session>()) {
    const Napi::Env env = info.Env();
    if (!ReadDecoderOptions(info[0], &session_->options) || !info[1].IsNumber() || !info[2].IsBoolean()) {
      Napi::TypeError::New(env, "VideoDecoder: arguments outside their bounds").ThrowAsJavaScriptException();
      return;
    }
    session_->job_ms_max = std::min(info[1].As<Napi::Number>().Uint32Value(), kJobMsMax);
    lane_ = pool_->OpenLane(info[2].As<Napi::Boolean>().Value());
    if (lane_ == nullptr) {
      ErrorOf(env, Failure::Of(FailureKind::kBusy, "too many decoders, encoders and transcoders are open"))
          .ThrowAsJavaScriptException();
    }
  }

  void Finalize(Napi::Env env) override {
    if (lane_ != nullptr) pool_->CloseLane(env, lane_);
  }

 private:
  // decode(bytes: Uint8Array[], key, presentationUs, reordered, skip, targets, watches): Promise of Picture[][].
  Napi::Value Decode(const Napi::CallbackInfo& info) {
    auto job = std::make_unique<DecodeJob>();
    if (info.Length() < 6 || !job->bytes.Take(info[0], kUnitBytesMax) || !info[1].IsBoolean() || !info[2].IsNumber() ||
        !info[3].IsBoolean() || !info[4].IsNumber() || !ReadTargets(info[5], info[6], &job->targets)) {
      return Refuse(info.Env());
    }
    job->unit.key = info[1].As<Napi::Boolean>().Value();
    job->unit.presentation_us = info[2].As<Napi::Number>().Int64Value();
    job->unit.reordered = info[3].As<Napi::Boolean>().Value();
    job->skip = static_cast<Skip>(std::clamp(info[4].As<Napi::Number>().Int32Value(), 0, 2));
    return Submit(info, std::move(job));
  }

  // flush(targets, watches): Promise of Picture[][].
  Napi::Value Flush(const Napi::CallbackInfo& info) {
    auto job = std::make_unique<DecodeJob>();
    job->flush = true;
    if (!ReadTargets(info[0], info[1], &job->targets)) return Refuse(info.Env());
    return Submit(info, std::move(job));
  }

  // busyUs(): processor time of its work so far; 0 once it is closed.
  Napi::Value BusyUs(const Napi::CallbackInfo& info) {
    const int64_t busy_us = session_ == nullptr ? 0 : session_->busy_us.load(std::memory_order_relaxed);
    return Napi::Number::New(info.Env(), static_cast<double>(busy_us));
  }

  Napi::Value Close(const Napi::CallbackInfo& info) {
    if (lane_ != nullptr) pool_->CloseLane(info.Env(), lane_);
    // A running job keeps the session until it is done.
    session_.reset();
    return info.Env().Undefined();
  }

  Napi::Value Submit(const Napi::CallbackInfo& info, std::unique_ptr<DecodeJob> job) {
    job->session = session_;
    job->owner = Napi::Persistent(info.This().As<Napi::Object>());
    return pool_->Submit(info.Env(), lane_, std::move(job));
  }

  static Napi::Value Refuse(Napi::Env env) {
    Napi::TypeError::New(env, "VideoDecoder: arguments outside their bounds").ThrowAsJavaScriptException();
    return env.Undefined();
  }

  std::shared_ptr<Pool> pool_;
  std::shared_ptr<Lane> lane_;
  std::shared_ptr<Session> session_;
};

// softwareDecoder(codec): libavcodec's name of its own decoder of this number of src/live/codec/codec.ts; "" for none.
Napi::Value SoftwareDecoderName(const Napi::CallbackInfo& info) {
  const int32_t codec = info[0].IsNumber() ? info[0].As<Napi::Number>().Int32Value() : 0;
  const bool video = codec >= static_cast<int32_t>(VideoCodec::kH264) && codec <= static_cast<int32_t>(VideoCodec::kMjpeg);
  const AVCodec* decoder = video ? SoftwareDecoder(static_cast<VideoCodec>(codec)) : nullptr;
  return Napi::String::New(info.Env(), decoder != nullptr ? decoder->name : "");
}

}  // namespace

void InitVideoDecoder(Napi::Env env, Napi::Object exports) {
  VideoDecoder::Init(env, exports);
  exports.Set("softwareDecoder", Napi::Function::New<SoftwareDecoderName>(env, "softwareDecoder"));
}

}  // namespace nvrd::codec
