// CRC-32 as zlib computes it, with the instructions that the processor has for it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace nvrd::crc32 {

// The CRC-32 of `length` bytes after those that gave `crc`; 0 to begin with.
uint32_t Update(uint32_t crc, const uint8_t* bytes, size_t length);

}  // namespace nvrd::crc32
