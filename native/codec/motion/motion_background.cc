// See motion_background.h.
#include "motion_background.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "zone_map.h"

namespace nvrd::codec {
namespace {

constexpr int kGrayMax = 255 << kSceneScaleBits;
// Less is noise of the median.
constexpr int kLightStepMin = 2;
// A change must exceed the threshold by this many mean deviations of its pixel.
constexpr int kDeviations = 3;
constexpr int kDeviationAtFirst = 3 << kSceneScaleBits;
constexpr int kDeviationMax = 40 << kSceneScaleBits;
constexpr int kDeviationShareMin = 40;

// `step` times the share, rounded, halves up.
inline int PartOf(int step, int share) { return (step * share + kShareOne / 2) >> 12; }
inline int PartOf(int step, double share) { return static_cast<int>(std::floor(step * share / kShareOne + 0.5)); }
static_assert(kShareOne == 1 << 12);

}  // namespace

void MotionBackground::Reset(const uint8_t* picture) {
  for (size_t at = 0; at < mean_.size(); ++at) mean_[at] = static_cast<uint16_t>(picture[at] << kSceneScaleBits);
  std::fill(deviation_.begin(), deviation_.end(), kDeviationAtFirst);
  learned_ = 1;
}

MotionBackground::Difference MotionBackground::Compare(const uint8_t* picture, const std::vector<uint8_t>& thresholds) {
  const int light_step = light_.Fit(picture, mean_.data(), mean_.size());
  if (light_step >= kLightStepMin) FollowLight();
  const uint16_t* const mean = mean_.data();
  const uint16_t* const deviation = deviation_.data();
  const uint8_t* const threshold = thresholds.data();
  uint8_t* const changed = changed_.data();
  const size_t pixels = mean_.size();
  for (size_t at = 0; at < pixels; ++at) {
    const int difference = std::abs(picture[at] - (mean[at] >> kSceneScaleBits));
    const int noise = (deviation[at] * kDeviations) >> kSceneScaleBits;
    changed[at] = static_cast<uint8_t>((threshold[at] != ZoneMap::kOutside) & (difference > threshold[at] + noise));
  }
  size_t differing = 0;
  for (size_t at = 0; at < pixels; ++at) differing += changed[at];
  return {light_step, differing};
}

// The light is not part of the scene: the background follows its changes at once.
void MotionBackground::FollowLight() {
  for (uint16_t& mean : mean_) {
    const int level = mean >> kSceneScaleBits;
    mean = static_cast<uint16_t>(std::clamp(mean + (light_.Lit(level) - level) * (1 << kSceneScaleBits), 0, kGrayMax));
  }
}

void MotionBackground::Learn(const uint8_t* picture, const std::vector<uint8_t>& marks, const LearningShares& shares) {
  learned_ = std::min(learned_ + 1, kShareOne);
  // The first pictures of a scene weigh alike.
  const double alike = static_cast<double>(kShareOne) / learned_;
  if (alike > shares.still) LearnScene(picture, marks.data(), shares, alike);
  else LearnScene(picture, marks.data(), shares, shares.still);
}

template <typename Share>
void MotionBackground::LearnScene(const uint8_t* picture, const uint8_t* marks, const LearningShares& shares, Share still) {
  const auto deviation_share = std::max<Share>(still, kDeviationShareMin);
  uint16_t* const mean = mean_.data();
  uint16_t* const deviation = deviation_.data();
  const size_t pixels = mean_.size();
  for (size_t at = 0; at < pixels; ++at) {
    const int step = (picture[at] << kSceneScaleBits) - mean[at];
    const uint8_t mark = marks[at];
    const int part = mark == kMarkScene    ? PartOf(step, still)
                     : mark == kMarkMoving ? PartOf(step, shares.moving)
                                           : PartOf(step, shares.standing);
    mean[at] = static_cast<uint16_t>(mean[at] + part);
    const int towards = std::min(std::abs(step), kDeviationMax) - deviation[at];
    const int learned = deviation[at] + PartOf(towards, deviation_share);
    deviation[at] = static_cast<uint16_t>(mark == kMarkScene ? learned : deviation[at]);
  }
}

}  // namespace nvrd::codec
