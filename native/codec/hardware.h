// Which codecs this libavcodec was built with.
#pragma once
#include <napi.h>

namespace nvrd::codec {

// Adds hasDecoder and hasEncoder to `exports`.
void InitHardware(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::codec
