// See motion.h.
#include "motion.h"

#include <utility>

#include "../limits.h"
#include "region_motion.h"
#include "zone_numbers.h"

namespace nvrd::codec {
namespace {

constexpr napi_type_tag kWatchTag = {0x6e76726400000001, 0x6d6f74696f6e0001};

bool ReadZonesOf(const Napi::Value& value, std::vector<MotionZone>* zones) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_float64_array) return false;
  const auto numbers = value.As<Napi::Float64Array>();
  return ReadZones(numbers.Data(), numbers.ElementLength(), zones);
}

// (data: Uint8Array, width, height): a grey picture.
const uint8_t* ReadGray(const Napi::CallbackInfo& info, Size* size) {
  if (!info[0].IsTypedArray() || info[0].As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array) return nullptr;
  if (!info[1].IsNumber() || !info[2].IsNumber()) return nullptr;
  const auto bytes = info[0].As<Napi::Uint8Array>();
  const double width = info[1].As<Napi::Number>().DoubleValue();
  const double height = info[2].As<Napi::Number>().DoubleValue();
  if (!(width >= 1 && width <= kSideMax && height >= 1 && height <= kSideMax)) return nullptr;
  *size = {static_cast<int>(width), static_cast<int>(height)};
  const auto pixels = static_cast<size_t>(size->width) * static_cast<size_t>(size->height);
  return bytes.ByteLength() == pixels ? bytes.Data() : nullptr;
}

Napi::Value Refuse(Napi::Env env, const char* what) {
  Napi::TypeError::New(env, std::string(what) + ": arguments outside their bounds").ThrowAsJavaScriptException();
  return env.Undefined();
}

class MotionWatchObject : public Napi::ObjectWrap<MotionWatchObject> {
 public:
  static void Init(Napi::Env env, Napi::Object exports) {
    exports.Set("MotionWatch", DefineClass(env, "MotionWatch", {InstanceMethod<&MotionWatchObject::Analyze>("analyze"),
                                             InstanceMethod<&MotionWatchObject::Restart>("restart")}));
  }

  // new MotionWatch(zones: Float64Array).
  explicit MotionWatchObject(const Napi::CallbackInfo& info) : ObjectWrap(info) {
    std::vector<MotionZone> zones;
    if (!ReadZonesOf(info[0], &zones)) {
      Refuse(info.Env(), "MotionWatch");
      return;
    }
    napi_type_tag_object(info.Env(), info.This(), &kWatchTag);
    zones_ = std::move(zones);
    watch_ = std::make_shared<MotionWatch>(zones_);
  }

  const std::shared_ptr<MotionWatch>& Watch() const { return watch_; }

 private:
  // analyze(gray: Uint8Array, width, height, timeUs): Float64Array of findings.
  Napi::Value Analyze(const Napi::CallbackInfo& info) {
    Size size;
    const uint8_t* const gray = ReadGray(info, &size);
    if (gray == nullptr || !info[3].IsNumber()) return Refuse(info.Env(), "MotionWatch");
    const std::vector<MotionFinding> findings = watch_->Analyze(gray, size, info[3].As<Napi::Number>().Int64Value());
    Napi::Float64Array numbers = Napi::Float64Array::New(info.Env(), findings.size() * kMotionNumbers);
    WriteFindings(findings, numbers.Data());
    return numbers;
  }

  // Jobs that run keep the one before until they are done.
  Napi::Value Restart(const Napi::CallbackInfo& info) {
    watch_ = std::make_shared<MotionWatch>(zones_);
    return info.Env().Undefined();
  }

  std::vector<MotionZone> zones_;
  std::shared_ptr<MotionWatch> watch_;
};

class RegionMotionObject : public Napi::ObjectWrap<RegionMotionObject> {
 public:
  static void Init(Napi::Env env, Napi::Object exports) {
    exports.Set("RegionMotion", DefineClass(env, "RegionMotion",
                                            {InstanceMethod<&RegionMotionObject::Take>("take"),
                                             InstanceMethod<&RegionMotionObject::Restart>("restart"),
                                             InstanceMethod<&RegionMotionObject::Touches>("touches")}));
  }

  // new RegionMotion(zones: Float64Array).
  explicit RegionMotionObject(const Napi::CallbackInfo& info) : ObjectWrap(info) {
    std::vector<MotionZone> zones;
    if (!ReadZonesOf(info[0], &zones)) {
      Refuse(info.Env(), "RegionMotion");
      return;
    }
    motion_ = std::make_unique<RegionMotion>(std::move(zones));
  }

 private:
  // take(gray: Uint8Array, width, height): boolean.
  Napi::Value Take(const Napi::CallbackInfo& info) {
    Size size;
    const uint8_t* const gray = ReadGray(info, &size);
    if (gray == nullptr) return Refuse(info.Env(), "RegionMotion");
    return Napi::Boolean::New(info.Env(), motion_->Take(gray, size.width, size.height));
  }

  Napi::Value Restart(const Napi::CallbackInfo& info) {
    motion_->Restart();
    return info.Env().Undefined();
  }

  // touches(left, top, width, height): boolean.
  Napi::Value Touches(const Napi::CallbackInfo& info) {
    double sides[4] = {};
    for (size_t side = 0; side < 4; ++side) {
      if (!info[side].IsNumber()) return Refuse(info.Env(), "RegionMotion");
      sides[side] = info[side].As<Napi::Number>().DoubleValue();
      if (!(sides[side] >= -1e9 && sides[side] <= 1e9)) return Refuse(info.Env(), "RegionMotion");
    }
    return Napi::Boolean::New(info.Env(), motion_->Touches(sides[0], sides[1], sides[2], sides[3]));
  }

  std::unique_ptr<RegionMotion> motion_;
};

}  // namespace

std::shared_ptr<MotionWatch> MotionWatchOf(const Napi::Value& value) {
  bool is_watch = false;
  if (!value.IsObject() || napi_check_object_type_tag(value.Env(), value, &kWatchTag, &is_watch) != napi_ok || !is_watch) {
    return nullptr;
  }
  return Napi::ObjectWrap<MotionWatchObject>::Unwrap(value.As<Napi::Object>())->Watch();
}

void WriteFindings(const std::vector<MotionFinding>& findings, double* numbers) {
  for (const MotionFinding& finding : findings) {
    *numbers++ = static_cast<double>(finding.zone);
    *numbers++ = finding.left;
    *numbers++ = finding.top;
    *numbers++ = finding.width;
    *numbers++ = finding.height;
    *numbers++ = finding.strength;
  }
}

void InitMotion(Napi::Env env, Napi::Object exports) {
  MotionWatchObject::Init(env, exports);
  RegionMotionObject::Init(env, exports);
}

}  // namespace nvrd::codec
