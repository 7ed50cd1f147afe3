// The records of a segment file (docs/design/archive.md) that lie in memory.
#pragma once
#include <cstddef>
#include <cstdint>

#include <napi.h>

namespace nvrd::records {

constexpr size_t kHeaderBytes = 28;

// Writes the CRC of a record's header, of kHeaderBytes, and returns the CRC to continue with over the payload.
uint32_t SealHeader(uint8_t* header, uint32_t seed);
// Writes the CRC of the whole record into its header.
void FinishHeader(uint8_t* header, uint32_t crc);

// Adds wholeRecords, sealRecordHeader and crc32 to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::records
