// The camera's empty scene: a running mean and mean deviation of each pixel, in 1/256 grey levels. Memory is allocated
// once, for one picture size. No N-API.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "light_fit.h"

namespace nvrd::codec {

// Weight of a new picture, in parts of kShareOne.
struct LearningShares {
  int still;
  int moving;
  int standing;
};

constexpr int kShareOne = 4096;

// Marks of pixels for MotionBackground::Learn.
constexpr uint8_t kMarkScene = 0;
constexpr uint8_t kMarkMoving = 1;
constexpr uint8_t kMarkStanding = 2;

class MotionBackground {
 public:
  struct Difference {
    // The largest change of the light, in grey levels.
    int light_step;
    size_t pixels;
  };

  explicit MotionBackground(size_t pixels) : changed_(pixels), mean_(pixels), deviation_(pixels) {}

  // Pictures learned since the last Reset.
  int Learned() const { return learned_; }
  // 1 where the newest compared picture differs from the background, else 0.
  const std::vector<uint8_t>& Changed() const { return changed_; }
  // The background's grey level at a pixel.
  int GrayAt(size_t at) const { return mean_[at] >> kSceneScaleBits; }

  // Takes the picture as the empty scene.
  void Reset(const uint8_t* picture);
  // Marks the pixels that differ after compensation of the light by more than their threshold; ZoneMap::kOutside: none.
  Difference Compare(const uint8_t* picture, const std::vector<uint8_t>& thresholds);
  // Learns the picture; each mark becomes background at its own rate.
  void Learn(const uint8_t* picture, const std::vector<uint8_t>& marks, const LearningShares& shares);

 private:
  void FollowLight();
  template <typename Share>
  void LearnScene(const uint8_t* picture, const uint8_t* marks, const LearningShares& shares, Share still);

  std::vector<uint8_t> changed_;
  std::vector<uint16_t> mean_;
  std::vector<uint16_t> deviation_;
  LightFit light_;
  int learned_ = 0;
};

}  // namespace nvrd::codec
