// What libavcodec would spend memory on before it asks anybody: looked at first. The stream is not parsed here beyond
// that; whether it can be decoded is the decoder's word.
#pragma once
#include <cstddef>
#include <cstdint>

#include "failure.h"

namespace nvrd::codec {

enum class NalSyntax { kH264, kH265 };

// Annex B bytes: at most kNalUnitsMax NAL units (each costs the decoder some 200 bytes), H.265 picture parameter sets
// with ids below kH265PictureSetsMax, and H.265 sequence parameter sets of an allowed size (the decoder makes tables of
// some 2 bytes a pixel for each pair of them).
Failure CheckNalUnits(const uint8_t* data, size_t size, NalSyntax syntax);

}  // namespace nvrd::codec
