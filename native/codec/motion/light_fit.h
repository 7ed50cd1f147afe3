// How the light changed between two pictures of one scene: the median difference in each band of brightness. What moves
// is a minority of each band's pixels and does not move the median. No N-API.
#pragma once
#include <cstddef>
#include <cstdint>

namespace nvrd::codec {

// Levels of the scene are kept in 1/256 grey levels.
constexpr int kSceneScaleBits = 8;

class LightFit {
 public:
  // `mean`: the scene, in 1/256 grey levels. Returns the largest change in grey levels.
  int Fit(const uint8_t* picture, const uint16_t* mean, size_t pixels);
  // The level that a grey level of the scene has in the current light.
  int Lit(int level) const { return lit_[level]; }

 private:
  // Bands of brightness in which the change is measured.
  static constexpr int kBands = 8;
  static constexpr int kBandShift = 5;
  // Differences run from -255 to 255.
  static constexpr int kDifferences = 511;
  static constexpr int kDifferenceZero = 255;

  int MedianOf(int band) const;
  int Between(int level) const;

  uint32_t counts_[kBands * kDifferences];
  uint32_t totals_[kBands];
  int medians_[kBands];
  int lit_[256];
};

}  // namespace nvrd::codec
