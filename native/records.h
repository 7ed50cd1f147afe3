// The records of a segment file (docs/design/archive.md) that lie in memory.
#pragma once
#include <napi.h>

namespace nvrd::records {

// Adds wholeRecords, sealRecordHeader and crc32 to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::records
