// The end of the process.
#pragma once
#include <napi.h>

namespace nvrd::process {

// Adds exitWithin to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::process
