// Finds motion in a series of small grey pictures of one camera, with an adaptive background, compensation of light
// changes, removal of specks, and tracking of pieces from picture to picture. docs/design/motion.md. No N-API; used by
// one thread at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "blob_finder.h"
#include "motion_background.h"
#include "zone_map.h"

namespace nvrd::codec {

// Something that moves in a zone, in one picture. Coordinates are parts of the picture's sides, from its upper left
// corner.
struct MotionFinding {
  size_t zone;
  double left;
  double top;
  double width;
  double height;
  // The part of the picture's pixels that differ, of this piece in this zone.
  double strength;
};

class MotionAnalyzer {
 public:
  MotionAnalyzer(const std::vector<MotionZone>& zones, int width, int height);

  bool IsFor(int width, int height) const { return zones_.Width() == width && zones_.Height() == height; }
  // `picture` is the grey plane, row by row; times go forward. The findings are valid until the next call.
  const std::vector<MotionFinding>& Analyze(const uint8_t* picture, int64_t time_us);

 private:
  // Where a piece was in the last picture.
  struct Trail {
    int left;
    int top;
    int right;
    int bottom;
    uint32_t pixels;
    int age;
  };
  // What a piece must have to count as motion.
  struct Requirements {
    double age;
    // Multiple of the smallest size.
    double size;
    // Part of its bounding box that it fills.
    double fill;
  };

  void NewScene(const uint8_t* picture, int64_t time_us);
  void Check(const uint8_t* picture, int64_t time_us, int64_t since_us);
  void CheckPieces(const uint8_t* picture, int64_t time_us, int64_t since_us);
  void WholePicture(const uint8_t* picture, int64_t time_us);
  Requirements Required(int64_t since_us) const;
  double Chance(int64_t since_us) const;
  double Reach(int64_t since_us) const;
  int AgeOf(const Blob& blob, int64_t since_us) const;
  bool IsActive(const Blob& blob, const uint8_t* picture) const;
  void MarkMoving(const Blob& blob, uint8_t mark);
  void AddFindings(const Blob& blob);

  const ZoneMap zones_;
  MotionBackground background_;
  BlobFinder finder_;
  std::vector<uint8_t> previous_;
  // Pixels of moving objects, which are learned slowly.
  std::vector<uint8_t> moving_;
  std::vector<Trail> trail_;
  std::vector<Trail> next_trail_;
  std::vector<MotionFinding> findings_;
  // Pieces a picture that no earlier picture explains, on average: rain, snow, flicker.
  double weather_ = 0;
  int64_t settled_at_us_ = 0;
  bool covered_ = false;
  int64_t covered_from_us_ = 0;
  bool begun_ = false;
  int64_t last_us_ = 0;
};

}  // namespace nvrd::codec
