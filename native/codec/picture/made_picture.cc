// See made_picture.h.
#include "made_picture.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "../limits.h"
#include "../motion/motion.h"

namespace nvrd::codec {
namespace {

constexpr size_t kNumbersPerTarget = 12;
constexpr const char* kFormNames[] = {"rgb", "gray", "yuv420", "jpeg", "motion"};

bool ReadWhole(double number, double largest, double* out) {
  if (!(number >= 0 && number <= largest) || number != std::floor(number)) return false;
  *out = number;
  return true;
}

bool ReadPart(const double* numbers, Part* part) {
  // Not a number fails each comparison.
  for (size_t index = 0; index < 4; ++index) {
    if (!(numbers[index] >= 0 && numbers[index] <= 1)) return false;
  }
  *part = {numbers[0], numbers[1], numbers[2], numbers[3]};
  return part->width > 0 && part->height > 0;
}

// Of a target of the form kMotion.
bool ReadWatch(const Napi::Value& watches, uint32_t index, PictureTarget* target) {
  const bool small = target->width >= 1 && target->width <= kMotionSideMax && target->height >= 1 &&
                     target->height <= kMotionSideMax && target->inside;
  if (!small || !watches.IsArray()) return false;
  target->watch = MotionWatchOf(watches.As<Napi::Array>().Get(index));
  return target->watch != nullptr;
}

bool ReadTarget(const double* numbers, const Napi::Value& watches, PictureTarget* target) {
  double form = 0;
  double width = 0;
  double height = 0;
  double inside = 0;
  double rotation = 0;
  double quality = 0;
  double bytes_max = 0;
  double watch = 0;
  if (!ReadWhole(numbers[0], 4, &form) || !ReadWhole(numbers[1], INT32_MAX, &width) ||
      !ReadWhole(numbers[2], INT32_MAX, &height) || !ReadWhole(numbers[3], 1, &inside) ||
      !ReadWhole(numbers[4], 270, &rotation) || std::fmod(rotation, 90) != 0 || !ReadWhole(numbers[5], 100, &quality) ||
      quality < 1 || !ReadWhole(numbers[6], UINT32_MAX, &bytes_max) || !ReadPart(numbers + 7, &target->part) ||
      !ReadWhole(numbers[11], kTargetsMax, &watch)) {
    return false;
  }
  target->form = static_cast<PictureForm>(static_cast<int>(form));
  target->width = static_cast<int>(width);
  target->height = static_cast<int>(height);
  target->inside = inside != 0;
  target->rotation = static_cast<int>(rotation);
  target->quality = static_cast<int>(quality);
  target->bytes_max = static_cast<size_t>(bytes_max);
  return target->form != PictureForm::kMotion || ReadWatch(watches, static_cast<uint32_t>(watch), target);
}

// What moves in the picture, instead of the picture.
Failure MakeMotion(PictureMaker& maker, const DecodedPicture& decoded, const PictureTarget& target, Size* size,
                   const PictureMaker::Room& room) {
  std::vector<MotionFinding> findings;
  const Failure failure = target.watch->Look(maker, decoded, target, size, &findings);
  if (failure) return failure;
  std::vector<double> numbers(findings.size() * kMotionNumbers);
  WriteFindings(findings, numbers.data());
  const size_t bytes = numbers.size() * sizeof(double);
  uint8_t* const to = room(bytes);
  if (bytes > 0) std::memcpy(to, numbers.data(), bytes);
  return failure;
}

}  // namespace

Napi::Value MadePicture::Give(Napi::Env env) {
  Napi::Object picture = Napi::Object::New(env);
  const auto number = [env](int64_t value) { return Napi::Number::New(env, static_cast<double>(value)); };
  picture.Set("form", Napi::String::New(env, kFormNames[static_cast<size_t>(form)]));
  picture.Set("width", number(size.width));
  picture.Set("height", number(size.height));
  picture.Set("timeUs", number(presentation_us));
  picture.Set("damaged", Napi::Boolean::New(env, damaged));
  picture.Set("sourceWidth", number(source.width));
  picture.Set("sourceHeight", number(source.height));
  picture.Set("data", data.Give(env));
  return picture;
}

Failure MakePictures(PictureMaker& maker, const DecodedPicture& decoded, const std::vector<PictureTarget>& targets,
                     MadePictures* made, size_t* bytes) {
  made->reserve(targets.size());
  for (const PictureTarget& target : targets) {
    MadePicture picture;
    picture.form = target.form;
    picture.presentation_us = decoded.presentation_us;
    picture.damaged = decoded.damaged;
    picture.source = {decoded.frame->width, decoded.frame->height};
    if (target.rotation % 180 != 0) std::swap(picture.source.width, picture.source.height);
    const auto room = [&picture](size_t bytes) {
      picture.data = OutputBytes(bytes);
      return picture.data.Data();
    };
    Failure failure = target.form == PictureForm::kMotion
                          ? MakeMotion(maker, decoded, target, &picture.size, room)
                          : maker.Make(*decoded.frame, target, &picture.size, room);
    if (failure) return failure;
    *bytes += picture.data.Size();
    if (*bytes > kAnswerBytesMax) return Failure::Of(FailureKind::kTooLarge, "pictures of too many bytes in one answer");
    made->push_back(std::move(picture));
  }
  return Failure::None();
}

Napi::Value GivePictures(Napi::Env env, MadePictures* made) {
  Napi::Array pictures = Napi::Array::New(env, made->size());
  for (uint32_t index = 0; index < made->size(); ++index) pictures.Set(index, (*made)[index].Give(env));
  return pictures;
}

bool ReadTargets(const Napi::Value& value, const Napi::Value& watches, std::vector<PictureTarget>* targets) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_float64_array) return false;
  const auto numbers = value.As<Napi::Float64Array>();
  const size_t length = numbers.ElementLength();
  if (length % kNumbersPerTarget != 0 || length / kNumbersPerTarget > kTargetsMax) return false;
  targets->resize(length / kNumbersPerTarget);
  for (size_t index = 0; index < targets->size(); ++index) {
    if (!ReadTarget(numbers.Data() + index * kNumbersPerTarget, watches, &(*targets)[index])) return false;
  }
  return true;
}

}  // namespace nvrd::codec
