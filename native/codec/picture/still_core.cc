// See still_core.h.
#include "still_core.h"

#include <algorithm>
#include <memory>

extern "C" {
#include <libavutil/frame.h>
}

#include "../limits.h"

namespace nvrd::codec {
namespace {

struct FreeFrame {
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
};

bool IsInterlaced(const AVFrame& frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
  return (frame.flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
  return frame.interlaced_frame != 0;
#endif
}

// The greatest number of units that are decoded before and shown after another one.
int ReorderDepth(const std::vector<StillUnit>& units, size_t first) {
  // H.264 A.3.1: a decoder holds back at most 16 pictures, so earlier ones do not matter.
  constexpr size_t kWindow = 16;
  size_t deepest = 0;
  for (size_t at = first; at < units.size(); ++at) {
    size_t shown_later = 0;
    for (size_t before = at - std::min(at - first, kWindow); before < at; ++before) {
      if (units[before].presentation_us > units[at].presentation_us) ++shown_later;
    }
    deepest = std::max(deepest, shown_later);
  }
  return static_cast<int>(deepest);
}

// Units before the last key frame are not needed, unless the wanted picture is shown before it.
size_t FirstNeeded(const std::vector<StillUnit>& units) {
  for (size_t at = units.size(); at > 0; --at) {
    const StillUnit& unit = units[at - 1];
    if (unit.key && unit.presentation_us <= units.back().presentation_us) return at - 1;
  }
  return 0;
}

// The newest picture so far that is not shown after the wanted one.
class Newest {
 public:
  bool Keep(const DecodedPicture& picture) {
    if (kept_.frame != nullptr && picture.presentation_us < kept_.presentation_us) return true;
    if (frame_ == nullptr) frame_.reset(av_frame_alloc());
    if (frame_ == nullptr) return false;
    av_frame_unref(frame_.get());
    if (av_frame_ref(frame_.get(), picture.frame) < 0) return false;
    kept_ = picture;
    kept_.frame = frame_.get();
    return true;
  }

  // `last_decoded`: the wanted unit had no error. It is then the second field of the kept picture, if that is
  // interlaced and from the previous unit; otherwise the wanted picture is missing.
  Failure Give(int64_t wanted, bool last_decoded, const DecoderCore::Sink& sink) {
    if (kept_.frame == nullptr) return Failure::Of(FailureKind::kCorrupt, "no picture can be decoded");
    const bool second_field = last_decoded && kept_.unit == wanted - 1 && IsInterlaced(*kept_.frame);
    kept_.damaged = kept_.damaged || !second_field;
    return sink(kept_);
  }

 private:
  std::unique_ptr<AVFrame, FreeFrame> frame_;
  DecodedPicture kept_{nullptr, 0, false, -1};
};

}  // namespace

Failure DecodeLast(DecoderOptions options, const std::vector<StillUnit>& units, const Deadline& deadline,
                   const DecoderCore::Sink& sink) {
  if (units.empty()) return Failure::Of(FailureKind::kCorrupt, "no units were given");
  if (units.size() > kStillUnitsMax) return Failure::Of(FailureKind::kTooLarge, "too many units for one picture");
  const size_t first = FirstNeeded(units);
  options.reorder_depth = ReorderDepth(units, first);
  Failure failure;
  const std::unique_ptr<DecoderCore> core = DecoderCore::Open(options, &failure);
  if (core == nullptr) return failure;
  // Declared after the decoder, so freed before it: its picture is in the decoder's memory.
  Newest newest;
  const auto wanted = static_cast<int64_t>(units.size() - 1 - first);
  bool given = false;
  const auto take = [&](const DecodedPicture& picture) {
    if (given) return Failure::None();
    if (picture.unit == wanted) {
      given = true;
      return sink(picture);
    }
    if (picture.presentation_us > units.back().presentation_us) return Failure::None();
    return newest.Keep(picture) ? Failure::None() : Failure::Of(FailureKind::kMemory, "no memory for a picture");
  };
  for (size_t at = first; at < units.size() && !given; ++at) {
    const StillUnit& unit = units[at];
    const bool last = at + 1 == units.size();
    failure = core->Decode({unit.key, unit.presentation_us, false}, unit.size, unit.fill,
                           last ? Skip::kNone : Skip::kNonReference, deadline, take);
    // A corrupt unit results in a damaged picture; any other failure ends the work.
    if (failure && failure.kind != FailureKind::kCorrupt) return failure;
  }
  const bool last_decoded = !failure;
  if (!given) {
    failure = core->Drain(deadline, take);
    if (failure) return failure;
  }
  return given ? Failure::None() : newest.Give(wanted, last_decoded, sink);
}

}  // namespace nvrd::codec
