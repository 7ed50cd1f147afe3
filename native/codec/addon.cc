// The codec addon's entry point: each file registers its functions here. The pool comes first, because the others use
// it.
#include <napi.h>

#include <string>

#include "hardware.h"
#include "motion/motion.h"
#include "pool.h"
#include "quiet_log.h"
#include "sound/sound.h"
#include "picture/still.h"
#include "decode/video_decoder.h"
#include "encode/video_encoder.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

// libavVersion(): the release of the loaded libav*, and of its libavcodec, "5.1.6 (libavcodec 59.37.100)".
static Napi::Value LibavVersion(const Napi::CallbackInfo& info) {
  const unsigned version = avcodec_version();
  const std::string codec = std::to_string(AV_VERSION_MAJOR(version)) + "." + std::to_string(AV_VERSION_MINOR(version)) +
                            "." + std::to_string(AV_VERSION_MICRO(version));
  return Napi::String::New(info.Env(), std::string(av_version_info()) + " (libavcodec " + codec + ")");
}

static Napi::Object Init(Napi::Env env, Napi::Object exports) {
  nvrd::codec::QuietLog::Install();
  nvrd::codec::InitPool(env, exports);
  nvrd::codec::InitStill(env, exports);
  nvrd::codec::InitVideoDecoder(env, exports);
  nvrd::codec::InitHardware(env, exports);
  nvrd::codec::InitSound(env, exports);
  nvrd::codec::InitMotion(env, exports);
  nvrd::codec::InitVideoEncoder(env, exports);
  exports.Set("libavVersion", Napi::Function::New<LibavVersion>(env, "libavVersion"));
  return exports;
}

NODE_API_MODULE(codec, Init)
