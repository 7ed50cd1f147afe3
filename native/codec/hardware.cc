// See hardware.h.
#include "hardware.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

namespace nvrd::codec {
namespace {

std::string NameIn(const Napi::CallbackInfo& info) {
  return info[0].IsString() ? info[0].As<Napi::String>().Utf8Value() : std::string();
}

// hasDecoder(name): whether libavcodec has it, not whether it works here.
Napi::Value HasDecoder(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), avcodec_find_decoder_by_name(NameIn(info).c_str()) != nullptr);
}

// hasEncoder(name): likewise for encoders.
Napi::Value HasEncoder(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), avcodec_find_encoder_by_name(NameIn(info).c_str()) != nullptr);
}

}  // namespace

void InitHardware(Napi::Env env, Napi::Object exports) {
  exports.Set("hasDecoder", Napi::Function::New<HasDecoder>(env, "hasDecoder"));
  exports.Set("hasEncoder", Napi::Function::New<HasEncoder>(env, "hasEncoder"));
}

}  // namespace nvrd::codec
