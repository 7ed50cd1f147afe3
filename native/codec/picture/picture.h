// The target of a decoded frame, and the resulting size. No N-API.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

namespace nvrd::codec {

class MotionWatch;

// Same order as FORMS in src/picture/codec/picture-target.ts.
// kMotion: what moves in the grey picture, instead of it.
enum class PictureForm { kRgb = 0, kGray = 1, kYuv420 = 2, kJpeg = 3, kMotion = 4 };

// A rectangle of a picture, in shares of its sides from the upper left corner.
struct Part {
  double left = 0;
  double top = 0;
  double width = 1;
  double height = 1;

  bool IsWhole() const { return left <= 0 && top <= 0 && width >= 1 && height >= 1; }
};

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
  // What is shown, of the picture after rotation.
  Part part;
  // kMotion: who analyses the picture.
  std::shared_ptr<MotionWatch> watch;
};

struct Size {
  int width = 0;
  int height = 0;
};

// Pixels of a picture: the left column, the upper line, and the sides.
struct Pixels {
  int left = 0;
  int top = 0;
  Size size;
};

// The part of a picture of `source` pixels that is shown after rotation, as pixels before it: at least one, from a column
// and a line on that all formats of chroma share.
Pixels PixelsOf(const Part& part, int rotation, Size source);

// The picture's size after rotation, for a source of `source` pixels after rotation: never larger than it, at least 1.
Size SizeFor(const PictureTarget& target, Size source);

}  // namespace nvrd::codec
