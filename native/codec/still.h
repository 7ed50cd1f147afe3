// One picture from a run of units: a job of its own with a decoder of its own.
#pragma once
#include <napi.h>

namespace nvrd::codec {

// Adds decodeStill to `exports`.
void InitStill(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::codec
