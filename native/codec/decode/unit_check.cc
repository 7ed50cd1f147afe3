// See unit_check.h. Section numbers refer to ITU-T H.265 (V8).
#include "unit_check.h"

#include <string>

#include "frame_memory.h"
#include "../limits.h"

namespace nvrd::codec {
namespace {

constexpr uint8_t kH265Sps = 33;
constexpr uint8_t kH265Pps = 34;
constexpr size_t kH265HeaderBytes = 2;
// Enough of an SPS for the sizes: profile_tier_level is at most 12 + 7 * 11 bytes.
constexpr size_t kRbspBytes = 128;

// Reads bits from the beginning of a NAL unit, without emulation prevention bytes (7.4.2). Bits beyond its end are 0.
class RbspReader {
 public:
  RbspReader(const uint8_t* data, size_t size) {
    int zeros = 0;
    for (size_t at = 0; at < size && length_ < kRbspBytes; ++at) {
      if (zeros >= 2 && data[at] == 3) {
        zeros = 0;
        continue;
      }
      zeros = data[at] == 0 ? zeros + 1 : 0;
      bytes_[length_++] = data[at];
    }
  }

  uint32_t Bits(unsigned count) {
    uint32_t value = 0;
    for (; count > 0; --count, ++bit_) {
      const size_t at = bit_ / 8;
      const uint32_t bit = at < length_ ? (bytes_[at] >> (7 - bit_ % 8)) & 1u : 0u;
      value = value << 1 | bit;
    }
    return value;
  }

  void Skip(size_t count) { bit_ += count; }

  // ue(v), 9.2. With more than 31 leading zeros, which no field has: the largest number.
  uint32_t Exp() {
    unsigned zeros = 0;
    while (zeros < 32 && Bits(1) == 0) ++zeros;
    return zeros >= 32 ? UINT32_MAX : ((1u << zeros) - 1) + Bits(zeros);
  }

 private:
  uint8_t bytes_[kRbspBytes] = {};
  size_t length_ = 0;
  size_t bit_ = 0;
};

// 7.3.2.2.1 up to the size, 7.3.3 profile_tier_level on the way.
Failure CheckH265Sps(const uint8_t* data, size_t size) {
  RbspReader bits(data, size);
  bits.Skip(4);
  const uint32_t sub_layers = bits.Bits(3);
  bits.Skip(1 + 88 + 8);
  uint32_t present[8] = {};
  for (uint32_t layer = 0; layer < sub_layers; ++layer) present[layer] = bits.Bits(2);
  if (sub_layers > 0) bits.Skip(2 * (8 - sub_layers));
  for (uint32_t layer = 0; layer < sub_layers; ++layer) {
    bits.Skip(((present[layer] & 2u) != 0 ? 88 : 0) + ((present[layer] & 1u) != 0 ? 8 : 0));
  }
  bits.Exp();
  if (bits.Exp() == 3) bits.Skip(1);
  const uint32_t width = bits.Exp();
  const uint32_t height = bits.Exp();
  // The decoder itself refuses other invalid sizes, such as 0.
  if (width <= static_cast<uint32_t>(kSideMax) && height <= static_cast<uint32_t>(kSideMax) &&
      uint64_t{width} * height <= static_cast<uint64_t>(kPixelsMax)) {
    return Failure::None();
  }
  return Failure::Of(FailureKind::kTooLarge,
                     "a picture of " + std::to_string(width) + "x" + std::to_string(height) + " is too large");
}

Failure CheckH265Unit(const uint8_t* unit, size_t size) {
  if (size <= kH265HeaderBytes) return Failure::None();
  const uint8_t type = (unit[0] >> 1) & 0x3f;
  if (type == kH265Sps) return CheckH265Sps(unit + kH265HeaderBytes, size - kH265HeaderBytes);
  if (type == kH265Pps && RbspReader(unit + kH265HeaderBytes, size - kH265HeaderBytes).Exp() >= kH265PictureSetsMax) {
    return Failure::Of(FailureKind::kTooLarge, "more H.265 picture parameter sets than are kept");
  }
  return Failure::None();
}

// The first byte after the next start code at or after `at`; `size` if there is none.
size_t AfterStartCode(const uint8_t* data, size_t size, size_t at) {
  while (at + 2 < size) {
    if (data[at + 2] > 1) {
      at += 3;
    } else if (data[at] == 0 && data[at + 1] == 0 && data[at + 2] == 1) {
      return at + 3;
    } else {
      at += 1;
    }
  }
  return size;
}

}  // namespace

Failure CheckNalUnits(const uint8_t* data, size_t size, NalSyntax syntax) {
  size_t units = 0;
  for (size_t at = AfterStartCode(data, size, 0); at < size; at = AfterStartCode(data, size, at)) {
    if (++units > kNalUnitsMax) return Failure::Of(FailureKind::kTooLarge, "too many NAL units in one access unit");
    if (syntax == NalSyntax::kH265) {
      const Failure failure = CheckH265Unit(data + at, size - at);
      if (failure) return failure;
    }
  }
  return Failure::None();
}

}  // namespace nvrd::codec
