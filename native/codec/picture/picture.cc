// See picture.h.
#include "picture.h"

#include <algorithm>
#include <cmath>

namespace nvrd::codec {
namespace {

// part * whole / of, rounded to the nearest.
int Scale(int whole, int part, int of) {
  return static_cast<int>((int64_t{2} * whole * part + of) / (int64_t{2} * of));
}

// Chroma of 4:1:1 has one column for four.
constexpr int kChromaColumns = 4;
constexpr int kChromaLines = 2;

struct Span {
  double from;
  double length;
};

// The pixels of a side of `whole` that a span covers, the first at a multiple of `step` before it.
void Cover(Span span, int whole, int step, int* first, int* count) {
  const auto pixels = [whole](double share) { return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * whole)); };
  *first = std::min(pixels(span.from), whole - 1) / step * step;
  *count = std::clamp(pixels(span.length), 1, whole - *first);
}

Span Reversed(Span span) { return {1 - span.from - span.length, span.length}; }

}  // namespace

Pixels PixelsOf(const Part& part, int rotation, Size source) {
  Span across{part.left, part.width};
  Span down{part.top, part.height};
  // Clockwise: what is to the right after a quarter turn was above.
  if (rotation == 90) {
    const Span shown = across;
    across = down;
    down = Reversed(shown);
  } else if (rotation == 180) {
    across = Reversed(across);
    down = Reversed(down);
  } else if (rotation == 270) {
    const Span shown = across;
    across = Reversed(down);
    down = shown;
  }
  Pixels pixels;
  Cover(across, source.width, kChromaColumns, &pixels.left, &pixels.size.width);
  Cover(down, source.height, kChromaLines, &pixels.top, &pixels.size.height);
  return pixels;
}

Size SizeFor(const PictureTarget& target, Size source) {
  Size size = source;
  const int width = std::min(target.width, source.width);
  const int height = std::min(target.height, source.height);
  if (width > 0 && height > 0) {
    size = {width, height};
    if (target.inside) {
      const bool by_width = int64_t{width} * source.height <= int64_t{height} * source.width;
      size = by_width ? Size{width, Scale(source.height, width, source.width)}
                      : Size{Scale(source.width, height, source.height), height};
    }
  } else if (width > 0) {
    size = {width, Scale(source.height, width, source.width)};
  } else if (height > 0) {
    size = {Scale(source.width, height, source.height), height};
  }
  return {std::clamp(size.width, 1, source.width), std::clamp(size.height, 1, source.height)};
}

}  // namespace nvrd::codec
