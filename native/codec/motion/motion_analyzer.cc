// See motion_analyzer.h.
#include "motion_analyzer.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "scene_structure.h"

namespace nvrd::codec {
namespace {

// For this long after a new scene (start, reboot, the light switched), only the background is learned.
constexpr int64_t kSettleUs = 1500000;
// Least number of pictures of a scene before motion is detected in it.
constexpr int kSettlePictures = 3;
// Time in which still objects, and those that stay where they moved to, become background.
constexpr double kStillUs = 8000000;
constexpr double kMovingUs = 60000000;
constexpr double kStandingUs = 15000000;
// A larger step than this between two pictures is a gap: the scene is learned again.
constexpr int64_t kGapUsMax = 60000000;
// From this share of differing pixels on, the whole picture changed.
constexpr double kWholeShare = 0.5;
// After a step of the light, a share above this is also due to the light.
constexpr double kLightShare = 0.2;
constexpr int kLightStep = 10;
// An object in front of the lens for this long becomes the new scene.
constexpr int64_t kCoveredUs = 10000000;
// A pixel whose grey level moves by more than this from picture to picture is active.
constexpr int kActiveLevels = 10;
// Part of a blob's pixels that must be active: a still object does not count as motion.
constexpr double kActivePart = 0.06;
constexpr double kActiveMin = 3;
// Speed of objects in picture widths per second; greatest distance of two blobs of one object.
constexpr double kSpeedWidths = 0.25;
constexpr double kReachPixels = 4;
// Pictures further apart than this show a passer-by only once.
constexpr int64_t kSparseUs = 1000000;
constexpr double kAgeMin = 2;
// With pictures closer together than this, kAgeMinDense applies, against chance matches.
constexpr int64_t kDenseUs = 500000;
constexpr double kAgeMinDense = 3;
// From this average number of unexplained pieces per picture on, it is weather.
constexpr double kWeatherMin = 1.5;
// More pieces in one picture than a busy street has.
constexpr int kCrowd = 10;
constexpr double kWeatherShare = 0.15;
// In weather, pieces follow each other by chance: the allowed rate at which a row of them counts as one object.
constexpr double kChanceMax = 0.01;
// Never require more pictures in a row than this. If chance matches are that frequent, require a larger piece instead.
constexpr double kAgeMax = 10;
constexpr double kWeatherSize = 6;
// It must also fill this part of its box: crossing streaks do not.
constexpr double kWeatherFill = 0.5;
// A piece followed for longer is as old as one followed for so long.
constexpr int kAgeCounted = 1 << 20;

int ShareOf(int64_t since_us, double time_us) {
  const double share = std::floor(static_cast<double>(since_us) / time_us * kShareOne + 0.5);
  return static_cast<int>(std::max(1.0, std::min(static_cast<double>(kShareOne), share)));
}

double FillOf(const Blob& blob) {
  return static_cast<double>(blob.pixels) / ((blob.right - blob.left) * (blob.bottom - blob.top));
}

}  // namespace

MotionAnalyzer::MotionAnalyzer(const std::vector<MotionZone>& zones, int width, int height)
    : zones_(zones, width, height),
      background_(zones_.Pixels()),
      finder_(zones_),
      previous_(zones_.Pixels()),
      moving_(zones_.Pixels()) {}

const std::vector<MotionFinding>& MotionAnalyzer::Analyze(const uint8_t* picture, int64_t time_us) {
  findings_.clear();
  const bool is_gap = !begun_ || time_us < last_us_ || time_us - last_us_ > kGapUsMax;
  if (is_gap) NewScene(picture, time_us);
  else Check(picture, time_us, time_us - last_us_);
  begun_ = true;
  last_us_ = time_us;
  std::memcpy(previous_.data(), picture, previous_.size());
  return findings_;
}

void MotionAnalyzer::NewScene(const uint8_t* picture, int64_t time_us) {
  background_.Reset(picture);
  settled_at_us_ = time_us + kSettleUs;
  trail_.clear();
  covered_ = false;
}

void MotionAnalyzer::Check(const uint8_t* picture, int64_t time_us, int64_t since_us) {
  const auto [light_step, pixels] = background_.Compare(picture, zones_.Thresholds());
  const double share = pixels == 0 ? 0 : static_cast<double>(pixels) / static_cast<double>(zones_.Watched());
  if (share > kWholeShare || (light_step > kLightStep && share > kLightShare)) {
    WholePicture(picture, time_us);
    return;
  }
  covered_ = false;
  CheckPieces(picture, time_us, since_us);
  background_.Learn(picture, moving_,
                    {ShareOf(since_us, kStillUs), ShareOf(since_us, kMovingUs), ShareOf(since_us, kStandingUs)});
}

void MotionAnalyzer::CheckPieces(const uint8_t* picture, int64_t time_us, int64_t since_us) {
  const std::vector<Blob>& blobs = finder_.Find(background_.Changed(), zones_.LeastPixels());
  const bool settling = time_us < settled_at_us_ || background_.Learned() < kSettlePictures;
  std::fill(moving_.begin(), moving_.end(), kMarkScene);
  const Requirements required = Required(since_us);
  next_trail_.clear();
  int unexplained = 0;
  for (const Blob& blob : blobs) {
    const int age = AgeOf(blob, since_us);
    if (age == 1) ++unexplained;
    next_trail_.push_back({blob.left, blob.top, blob.right, blob.bottom, blob.pixels, age});
    const bool active = IsActive(blob, picture);
    MarkMoving(blob, active ? kMarkMoving : kMarkStanding);
    const bool counts = age >= required.age && blob.pixels >= zones_.LeastPixels() * required.size && FillOf(blob) >= required.fill;
    if (!settling && active && counts) AddFindings(blob);
  }
  // If there are so many pieces that each matches one of the last picture, only their number counts.
  const int pieces = std::max(unexplained, static_cast<int>(blobs.size()) - kCrowd);
  weather_ += (pieces - weather_) * kWeatherShare;
  trail_.swap(next_trail_);
}

// The whole picture differs: the light changed, something large is in front of the lens, or the camera was turned.
void MotionAnalyzer::WholePicture(const uint8_t* picture, int64_t time_us) {
  if (IsSameScene(picture, zones_.Width(), zones_.Height(), background_)) {
    NewScene(picture, time_us);
    return;
  }
  if (!covered_) covered_from_us_ = time_us;
  covered_ = true;
  if (time_us - covered_from_us_ > kCoveredUs) {
    NewScene(picture, time_us);
    return;
  }
  if (time_us < settled_at_us_) return;
  for (size_t zone = 0; zone < zones_.Zones(); ++zone) findings_.push_back({zone, 0, 0, 1, 1, 1});
}

MotionAnalyzer::Requirements MotionAnalyzer::Required(int64_t since_us) const {
  const double age_min = since_us > kSparseUs ? 1 : since_us > kDenseUs ? kAgeMin : kAgeMinDense;
  if (weather_ < kWeatherMin) return {age_min, 1, 0};
  const double age = std::ceil(std::log(kChanceMax) / std::log(Chance(since_us)));
  const bool dense = age > kAgeMax;
  return {std::max({age_min, kAgeMin, std::min(kAgeMax, age)}), dense ? kWeatherSize : 1, dense ? kWeatherFill : 0};
}

// The part of the picture in which a piece would match an earlier one by chance.
double MotionAnalyzer::Chance(int64_t since_us) const {
  const double reach = 2 * Reach(since_us);
  double area = 0;
  for (const Trail& before : trail_) area += (before.right - before.left + reach) * (before.bottom - before.top + reach);
  return std::min(0.99, std::max(0.01, area / static_cast<double>(zones_.Pixels())));
}

double MotionAnalyzer::Reach(int64_t since_us) const {
  return kReachPixels + (zones_.Width() * kSpeedWidths * static_cast<double>(std::min(since_us, kSparseUs))) / 1000000;
}

int MotionAnalyzer::AgeOf(const Blob& blob, int64_t since_us) const {
  const double reach = Reach(since_us);
  int age = 1;
  for (const Trail& before : trail_) {
    const bool apart = before.left - blob.right > reach || blob.left - before.right > reach ||
                       before.top - blob.bottom > reach || blob.top - before.bottom > reach;
    const bool alike = before.pixels < blob.pixels * 4 && blob.pixels < before.pixels * 4;
    if (!apart && alike) age = std::max(age, std::min(before.age + 1, kAgeCounted));
  }
  return age;
}

bool MotionAnalyzer::IsActive(const Blob& blob, const uint8_t* picture) const {
  const auto width = static_cast<size_t>(zones_.Width());
  int active = 0;
  for (int y = blob.top; y < blob.bottom; ++y) {
    const size_t row = static_cast<size_t>(y) * width;
    for (size_t at = row + static_cast<size_t>(blob.left); at < row + static_cast<size_t>(blob.right); ++at) {
      active += std::abs(picture[at] - previous_[at]) > kActiveLevels;
    }
  }
  return active >= std::max(kActiveMin, blob.pixels * kActivePart);
}

void MotionAnalyzer::MarkMoving(const Blob& blob, uint8_t mark) {
  const auto width = static_cast<size_t>(zones_.Width());
  const std::vector<uint8_t>& kept = finder_.Kept();
  for (int y = blob.top; y < blob.bottom; ++y) {
    const size_t row = static_cast<size_t>(y) * width;
    for (size_t at = row + static_cast<size_t>(blob.left); at < row + static_cast<size_t>(blob.right); ++at) {
      if (kept[at] != 0) moving_[at] = mark;
    }
  }
}

void MotionAnalyzer::AddFindings(const Blob& blob) {
  const double width = zones_.Width();
  const double height = zones_.Height();
  for (size_t zone = 0; zone < zones_.Zones(); ++zone) {
    if (blob.zone_pixels[zone] < zones_.MinPixels(zone)) continue;
    findings_.push_back({zone, blob.left / width, blob.top / height, (blob.right - blob.left) / width,
                         (blob.bottom - blob.top) / height, blob.zone_pixels[zone] / (width * height)});
  }
}

}  // namespace nvrd::codec
