// See picture.h.
#include "picture.h"

#include <algorithm>

namespace nvrd::codec {
namespace {

// part * whole / of, rounded to the nearest.
int Scale(int whole, int part, int of) {
  return static_cast<int>((int64_t{2} * whole * part + of) / (int64_t{2} * of));
}

}  // namespace

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
