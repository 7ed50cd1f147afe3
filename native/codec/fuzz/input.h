// Parses libFuzzer's bytes: a head of numbers, then units. Units are separated by a marker, not by lengths, so that
// inserted or removed bytes leave the other units intact. scripts/native/fuzz-seeds.mjs writes this format.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace nvrd::codec::fuzz {

// Aborts, so that libFuzzer keeps the input, as for a sanitizer's finding.
inline void Hold(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

struct InputUnit {
  uint8_t flags = 0;
  // Time steps since the previous unit.
  int8_t step = 0;
  const uint8_t* bytes = nullptr;
  size_t size = 0;
};

class Input {
 public:
  static constexpr size_t kHeadBytes = 16;
  static constexpr uint8_t kMark[] = {0xfe, 'u', 'n', 't'};

  Input(const uint8_t* data, size_t size) {
    const size_t head = std::min(size, kHeadBytes);
    std::memcpy(head_, data, head);
    const uint8_t* const end = data + size;
    for (const uint8_t* at = NextMark(data + head, end); at != end;) {
      const uint8_t* const body = at + sizeof(kMark);
      const uint8_t* const next = NextMark(body, end);
      const auto length = static_cast<size_t>(next - body);
      if (length >= 2) units_.push_back({body[0], static_cast<int8_t>(body[1]), body + 2, length - 2});
      at = next;
    }
  }

  uint8_t Byte(size_t at) const { return head_[at]; }
  int Word(size_t at) const { return head_[at] << 8 | head_[at + 1]; }
  const std::vector<InputUnit>& Units() const { return units_; }

 private:
  static const uint8_t* NextMark(const uint8_t* from, const uint8_t* end) {
    return std::search(from, end, std::begin(kMark), std::end(kMark));
  }

  uint8_t head_[kHeadBytes] = {};
  std::vector<InputUnit> units_;
};

}  // namespace nvrd::codec::fuzz
