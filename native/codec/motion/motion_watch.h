// What moves in the pictures of a decoder: the analyser of one camera, shared by the jobs that decode for it. No N-API.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "../decode/decoder_core.h"
#include "../picture/picture_maker.h"
#include "motion_analyzer.h"

namespace nvrd::codec {

class MotionWatch {
 public:
  explicit MotionWatch(std::vector<MotionZone> zones) : zones_(std::move(zones)) {}

  // Analyses a decoded picture as `target` (form kMotion) describes it. `size`: of the analysed picture. A picture with
  // concealed errors is left out: it shows objects that are not there. Any thread: a decoder that is replaced may still
  // work while its successor begins.
  Failure Look(PictureMaker& maker, const DecodedPicture& decoded, const PictureTarget& target, Size* size,
               std::vector<MotionFinding>* findings);
  // Analyses a grey picture, at most kSideMax a side.
  std::vector<MotionFinding> Analyze(const uint8_t* gray, Size size, int64_t time_us);

 private:
  const std::vector<MotionFinding>& AnalyzeLocked(const uint8_t* gray, Size size, int64_t time_us);

  const std::vector<MotionZone> zones_;
  std::mutex mutex_;
  std::unique_ptr<MotionAnalyzer> analyzer_;
  std::vector<uint8_t> gray_;
};

}  // namespace nvrd::codec
