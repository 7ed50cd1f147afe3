// See light_fit.h.
#include "light_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace nvrd::codec {
namespace {

// A band with fewer than one in this many pixels is too small to measure.
constexpr size_t kBandPartMin = 24;
// Every third pixel is sampled; coprime to the usual widths.
constexpr size_t kSampleStep = 3;

}  // namespace

int LightFit::Fit(const uint8_t* picture, const uint16_t* mean, size_t pixels) {
  std::memset(counts_, 0, sizeof(counts_));
  std::memset(totals_, 0, sizeof(totals_));
  size_t samples = 0;
  for (size_t at = 0; at < pixels; at += kSampleStep) {
    const int before = mean[at] >> kSceneScaleBits;
    const int band = before >> kBandShift;
    ++counts_[band * kDifferences + kDifferenceZero + picture[at] - before];
    ++totals_[band];
    ++samples;
  }
  int largest = 0;
  int last = 0;
  bool known = false;
  for (int band = 0; band < kBands; ++band) {
    // A band without enough pixels uses the value of the one below it, or of the first one that has enough.
    if (size_t{totals_[band]} * kBandPartMin < samples) {
      medians_[band] = last;
      continue;
    }
    last = medians_[band] = MedianOf(band);
    if (!known) std::fill(medians_, medians_ + band, last);
    known = true;
    largest = std::max(largest, std::abs(last));
  }
  for (int level = 0; level < 256; ++level) lit_[level] = level + Between(level);
  return largest;
}

int LightFit::MedianOf(int band) const {
  uint32_t sum = 0;
  for (int slot = 0; slot < kDifferences; ++slot) {
    sum += counts_[band * kDifferences + slot];
    if (2 * sum > totals_[band]) return slot - kDifferenceZero;
  }
  return 0;
}

// Between the middles of two bands the change is interpolated linearly.
int LightFit::Between(int level) const {
  constexpr int kWidth = 1 << kBandShift;
  const int from_middle = level - kWidth / 2;
  const int lower = std::clamp(from_middle >> kBandShift, 0, kBands - 1);
  const int upper = std::min(kBands - 1, lower + 1);
  const int part = std::clamp(from_middle - lower * kWidth, 0, kWidth);
  // Rounded, halves up.
  return medians_[lower] + (((medians_[upper] - medians_[lower]) * part + kWidth / 2) >> kBandShift);
}

}  // namespace nvrd::codec
