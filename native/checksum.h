// Checksums of long memory.
#pragma once
#include <napi.h>

namespace nvrd::checksum {

// Adds crc32 to `exports` where this processor has instructions for it.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::checksum
