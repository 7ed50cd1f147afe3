// One picture from a run of units: a single job with its own decoder.
#pragma once
#include <napi.h>

namespace nvrd::codec {

// Adds decodeStill to `exports`.
void InitStill(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::codec
