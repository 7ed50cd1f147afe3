// The zones of a motion detector on the pixels of one size of picture. No N-API.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nvrd::codec {

struct ZonePoint {
  double x;
  double y;
};

enum class ZoneKind { kPicture = 0, kPolygon = 1, kGrid = 2 };

// MotionZone of src/recording/motion/motion-zones.ts, without its names. Coordinates are parts of the picture's sides.
struct MotionZone {
  double sensitivity = 50;
  double min_size_percent = 0.2;
  ZoneKind kind = ZoneKind::kPicture;
  // Of a polygon.
  std::vector<ZonePoint> points;
  // Of a grid: 1 where a cell belongs to the zone, row by row.
  int columns = 0;
  int rows = 0;
  std::vector<uint8_t> cells;
};

// One bit a zone.
using ZoneBits = uint16_t;
constexpr size_t kZonesMax = 16;

class ZoneMap {
 public:
  // A pixel of no zone.
  static constexpr uint8_t kOutside = 255;

  // At most kZonesMax zones.
  ZoneMap(const std::vector<MotionZone>& zones, int width, int height);

  int Width() const { return width_; }
  int Height() const { return height_; }
  size_t Pixels() const { return zones_at_.size(); }
  size_t Zones() const { return min_pixels_.size(); }
  // For each pixel the least change, in grey levels, that counts there; kOutside where there is no zone. Where zones
  // overlap, the more sensitive one sets it.
  const std::vector<uint8_t>& Thresholds() const { return thresholds_; }
  // For each pixel the zones that it belongs to.
  const std::vector<ZoneBits>& ZonesAt() const { return zones_at_; }
  // The fewest pixels that count in a zone, and the least of all zones.
  double MinPixels(size_t zone) const { return min_pixels_[zone]; }
  double LeastPixels() const { return least_pixels_; }
  // Pixels of any zone.
  size_t Watched() const { return watched_; }

 private:
  size_t Mark(const MotionZone& zone, ZoneBits bit);
  size_t MarkRow(const MotionZone& zone, ZoneBits bit, int row);

  int width_;
  int height_;
  std::vector<uint8_t> thresholds_;
  std::vector<ZoneBits> zones_at_;
  std::vector<double> min_pixels_;
  double least_pixels_ = 0;
  size_t watched_ = 0;
  // Where the edges of a polygon cross the row that is marked.
  std::vector<double> crossings_;
};

}  // namespace nvrd::codec
