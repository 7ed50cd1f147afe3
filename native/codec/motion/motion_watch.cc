// See motion_watch.h.
#include "motion_watch.h"

#include <algorithm>

namespace nvrd::codec {
namespace {

// Times are differences of clocks of our own; one beyond this is hostile.
constexpr int64_t kTimeUsMax = int64_t{1} << 60;

}  // namespace

Failure MotionWatch::Look(PictureMaker& maker, const DecodedPicture& decoded, const PictureTarget& target, Size* size,
                          std::vector<MotionFinding>* findings) {
  findings->clear();
  PictureTarget gray = target;
  gray.form = PictureForm::kGray;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto room = [this](size_t bytes) {
    gray_.resize(bytes);
    return gray_.data();
  };
  const Failure failure = maker.Make(*decoded.frame, gray, size, room);
  if (failure || decoded.damaged) return failure;
  *findings = AnalyzeLocked(gray_.data(), *size, decoded.presentation_us);
  return failure;
}

std::vector<MotionFinding> MotionWatch::Analyze(const uint8_t* gray, Size size, int64_t time_us) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return AnalyzeLocked(gray, size, time_us);
}

const std::vector<MotionFinding>& MotionWatch::AnalyzeLocked(const uint8_t* gray, Size size, int64_t time_us) {
  if (analyzer_ == nullptr || !analyzer_->IsFor(size.width, size.height)) {
    analyzer_ = std::make_unique<MotionAnalyzer>(zones_, size.width, size.height);
  }
  return analyzer_->Analyze(gray, std::clamp(time_us, -kTimeUsMax, kTimeUsMax));
}

}  // namespace nvrd::codec
