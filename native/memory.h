// Memory that two kinds of JavaScript buffers look at.
#pragma once
#include <napi.h>

namespace nvrd::memory {

// Adds unsharedView and returnPages to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::memory
