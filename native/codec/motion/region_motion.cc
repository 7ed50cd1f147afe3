// See region_motion.h.
#include "region_motion.h"

#include <algorithm>
#include <cmath>

namespace nvrd::codec {
namespace {

constexpr int kBoxGridWidth = 160;
constexpr int kBoxGridHeight = 90;

// `part` of `side` as a whole number of pixels within it.
int PixelOf(double part, int side) { return static_cast<int>(std::clamp(part, 0.0, static_cast<double>(side))); }

}  // namespace

bool RegionMotion::Take(const uint8_t* picture, int width, int height) {
  const bool known = scene_ != nullptr && scene_->map.Width() == width && scene_->map.Height() == height;
  if (!known) scene_ = std::make_unique<Scene>(zones_, width, height);
  const bool moved = known && scene_->Differs(picture);
  scene_->background.Reset(picture);
  return moved;
}

bool RegionMotion::Scene::Differs(const uint8_t* picture) {
  background.Compare(picture, map.Thresholds());
  const std::vector<Blob>& blobs = finder.Find(background.Changed(), map.LeastPixels());
  return std::any_of(blobs.begin(), blobs.end(), [this](const Blob& blob) {
    for (size_t zone = 0; zone < map.Zones(); ++zone) {
      if (blob.zone_pixels[zone] >= map.MinPixels(zone)) return true;
    }
    return false;
  });
}

bool RegionMotion::Touches(double left, double top, double width, double height) {
  if (boxes_ == nullptr) boxes_ = std::make_unique<const ZoneMap>(zones_, kBoxGridWidth, kBoxGridHeight);
  const int right = PixelOf(std::ceil((left + width) * kBoxGridWidth), kBoxGridWidth);
  const int bottom = PixelOf(std::ceil((top + height) * kBoxGridHeight), kBoxGridHeight);
  for (int y = PixelOf(std::floor(top * kBoxGridHeight), kBoxGridHeight); y < bottom; ++y) {
    for (int x = PixelOf(std::floor(left * kBoxGridWidth), kBoxGridWidth); x < right; ++x) {
      if (boxes_->ZonesAt()[static_cast<size_t>(y * kBoxGridWidth + x)] != 0) return true;
    }
  }
  return false;
}

}  // namespace nvrd::codec
