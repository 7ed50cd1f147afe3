// A long-lived decoder for one stream.
#pragma once
#include <napi.h>

namespace nvrd::codec {

// Adds the class VideoDecoder and softwareDecoder to `exports`.
void InitVideoDecoder(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::codec
