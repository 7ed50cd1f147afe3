// Locks of whole files, flock(2).
#pragma once
#include <napi.h>

namespace nvrd::file_lock {

// Adds lockFile to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::file_lock
