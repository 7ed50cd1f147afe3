// The target of a decoded frame, and the resulting size. No N-API.
#pragma once
#include <cstddef>
#include <cstdint>

namespace nvrd::codec {

// Same order as FORMS in src/picture/codec/picture-target.ts.
enum class PictureForm { kRgb = 0, kGray = 1, kYuv420 = 2, kJpeg = 3 };

struct PictureTarget {
  PictureForm form = PictureForm::kRgb;
  // Pixels after rotation; 0: follows from the other one, or from the source.
  int width = 0;
  int height = 0;
  // With both sides given: keep the aspect ratio within them.
  bool inside = false;
  // Degrees clockwise: 0, 90, 180, 270.
  int rotation = 0;
  int quality = 75;
  // 0: no bound.
  size_t bytes_max = 0;
};

struct Size {
  int width = 0;
  int height = 0;
};

// The picture's size after rotation, for a source of `source` pixels after rotation: never larger than it, at least 1.
Size SizeFor(const PictureTarget& target, Size source);

}  // namespace nvrd::codec
