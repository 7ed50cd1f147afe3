// See scene_structure.h.
#include "scene_structure.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace nvrd::codec {
namespace {

constexpr int kBlock = 8;
constexpr double kBlockPixels = kBlock * kBlock;
// Sum of squares within a block from which it has texture: about 5 grey levels each pixel.
constexpr double kTextureMin = kBlockPixels * 25;
// Correlation of a block with itself under another light.
constexpr double kAlikeMin = 0.6;
// A scene with fewer textured blocks cannot be compared.
constexpr int kTexturedBlocksMin = 6;
// A picture darker than this on average, and without texture, is a room with the light off.
constexpr double kDarkMax = 40;

struct BlockComparison {
  double mean;
  double picture_texture;
  double background_texture;
  double correlation;
};

BlockComparison CompareBlock(const uint8_t* picture, size_t width, size_t from, const MotionBackground& background) {
  int64_t a = 0;
  int64_t b = 0;
  int64_t aa = 0;
  int64_t bb = 0;
  int64_t ab = 0;
  for (size_t y = 0; y < kBlock; ++y) {
    for (size_t x = 0; x < kBlock; ++x) {
      const size_t at = from + y * width + x;
      const int now = picture[at];
      const int before = background.GrayAt(at);
      a += now;
      b += before;
      aa += now * now;
      bb += before * before;
      ab += now * before;
    }
  }
  const auto spread = [](int64_t products, int64_t one, int64_t other) {
    return static_cast<double>(products) - static_cast<double>(one * other) / kBlockPixels;
  };
  const double picture_texture = spread(aa, a, a);
  const double background_texture = spread(bb, b, b);
  const double correlation =
      spread(ab, a, b) / std::sqrt(std::max(1.0, picture_texture) * std::max(1.0, background_texture));
  return {static_cast<double>(a) / kBlockPixels, picture_texture, background_texture, correlation};
}

}  // namespace

bool IsSameScene(const uint8_t* picture, int width, int height, const MotionBackground& background) {
  const int rows = height / kBlock;
  const int columns = width / kBlock;
  int textured = 0;
  int alike = 0;
  int flat = 0;
  double sum = 0;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const auto from = static_cast<size_t>(row * kBlock) * static_cast<size_t>(width) + static_cast<size_t>(column * kBlock);
      const BlockComparison block = CompareBlock(picture, static_cast<size_t>(width), from, background);
      sum += block.mean;
      if (block.picture_texture < kTextureMin) ++flat;
      if (block.background_texture < kTextureMin) continue;
      ++textured;
      if (block.correlation >= kAlikeMin) ++alike;
    }
  }
  const int blocks = rows * columns;
  const double mean = sum / std::max(1, blocks);
  if (flat > blocks * 0.9 && (mean < kDarkMax || mean > 255 - kDarkMax)) return true;
  return textured < kTexturedBlocksMin || alike >= textured / 2.0;
}

}  // namespace nvrd::codec
