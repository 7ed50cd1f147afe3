// Checks sizes for which libavcodec would allocate memory before it calls back. Nothing else of the stream is parsed
// here: the decoder finds out whether it can be decoded.
#pragma once
#include <cstddef>
#include <cstdint>

#include "../failure.h"

namespace nvrd::codec {

enum class NalSyntax { kH264, kH265 };

// Annex B bytes: at most kNalUnitsMax NAL units (each costs the decoder some 200 bytes), H.265 picture parameter sets
// with ids below kH265PictureSetsMax, and H.265 sequence parameter sets of an allowed size (the decoder makes tables of
// some 2 bytes a pixel for each pair of them).
Failure CheckNalUnits(const uint8_t* data, size_t size, NalSyntax syntax);

}  // namespace nvrd::codec
