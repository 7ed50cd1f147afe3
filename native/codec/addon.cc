// The codec addon's one entry point: each noun registers its functions here. The pool comes first, the others use it.
#include <napi.h>

#include "hardware.h"
#include "pool.h"
#include "quiet_log.h"
#include "sound.h"
#include "still.h"
#include "video_decoder.h"
#include "video_encoder.h"

static Napi::Object Init(Napi::Env env, Napi::Object exports) {
  nvrd::codec::QuietLog::Install();
  nvrd::codec::InitPool(env, exports);
  nvrd::codec::InitStill(env, exports);
  nvrd::codec::InitVideoDecoder(env, exports);
  nvrd::codec::InitHardware(env, exports);
  nvrd::codec::InitSound(env, exports);
  nvrd::codec::InitVideoEncoder(env, exports);
  return exports;
}

NODE_API_MODULE(codec, Init)
