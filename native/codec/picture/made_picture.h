// Conversion of pictures to JavaScript, and of targets from JavaScript.
#pragma once
#include <napi.h>

#include <cstdint>
#include <vector>

#include "../bytes.h"
#include "../decode/decoder_core.h"
#include "picture.h"
#include "picture_maker.h"

namespace nvrd::codec {

// A Picture of src/picture/codec/codec-types.ts.
struct MadePicture {
  PictureForm form = PictureForm::kRgb;
  Size size;
  Size source;
  int64_t presentation_us = 0;
  bool damaged = false;
  OutputBytes data;

  // The object for JavaScript, which owns the data from here on. Main thread.
  Napi::Value Give(Napi::Env env);
};

using MadePictures = std::vector<MadePicture>;

// One picture for each target. `bytes` counts what one call returns, up to kAnswerBytesMax. Any thread.
Failure MakePictures(PictureMaker& maker, const DecodedPicture& decoded, const std::vector<PictureTarget>& targets,
                     MadePictures* made, size_t* bytes);

Napi::Value GivePictures(Napi::Env env, MadePictures* made);

// A Float64Array of kNumbersPerTarget numbers a target (see targetNumbers in src/picture/codec/picture-target.ts): form,
// width, height, inside, rotation, quality, bytesMax, and of motion the index in `watches`, an array of MotionWatch. False
// for anything else.
bool ReadTargets(const Napi::Value& value, const Napi::Value& watches, std::vector<PictureTarget>* targets);

}  // namespace nvrd::codec
