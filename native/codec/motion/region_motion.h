// Finds what is different in zones from one picture to the next. The pictures may be seconds apart, so that nothing can
// be followed from one to another, as MotionAnalyzer does; light and specks are left out in the same way. No N-API.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "blob_finder.h"
#include "motion_background.h"
#include "zone_map.h"

namespace nvrd::codec {

class RegionMotion {
 public:
  explicit RegionMotion(std::vector<MotionZone> zones) : zones_(std::move(zones)) {}

  // Whether something moved since the picture before; false for the first one, and for one of another size.
  bool Take(const uint8_t* picture, int width, int height);
  // What comes next is not compared with what was before.
  void Restart() { scene_.reset(); }
  // Whether a box, in parts of the picture's sides, lies in zones, at least with a corner.
  bool Touches(double left, double top, double width, double height);

 private:
  struct Scene {
    Scene(const std::vector<MotionZone>& zones, int width, int height)
        : map(zones, width, height), background(map.Pixels()), finder(map) {}
    bool Differs(const uint8_t* picture);

    const ZoneMap map;
    MotionBackground background;
    BlobFinder finder;
  };

  std::vector<MotionZone> zones_;
  std::unique_ptr<Scene> scene_;
  // The pixels that boxes are compared with zones on.
  std::unique_ptr<const ZoneMap> boxes_;
};

}  // namespace nvrd::codec
