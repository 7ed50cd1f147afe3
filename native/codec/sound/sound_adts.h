// The header that makes a raw AAC access unit an ADTS frame (ISO/IEC 14496-3, 1.A.2.2).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nvrd::codec {

// Audio object type 2 (AAC LC) minus one, as ADTS and libavcodec number profiles.
constexpr int kAacLowComplexity = 1;

// Whether ADTS has a sampling_frequency_index for `rate`.
bool IsAdtsRate(int rate);

// Appends header and unit, mono, AAC LC. False, with nothing appended, if it is too long for ADTS.
bool AppendAdts(const uint8_t* unit, size_t length, int rate, std::vector<uint8_t>* to);

}  // namespace nvrd::codec
