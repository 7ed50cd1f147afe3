// Mends a fault of the HTTP library in memory (docs/design/dependencies.md, uWebSockets.js).
#pragma once
#include <napi.h>

namespace nvrd::http_library {

// Adds moveReallocated to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::http_library
