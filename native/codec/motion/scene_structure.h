// Whether a picture that differs everywhere shows the same scene. No N-API.
#pragma once
#include <cstdint>

#include "motion_background.h"

namespace nvrd::codec {

// Whether it shows the background's scene under another light (the structure is there, or all is dark or dazzled), and
// not another scene or something before the lens.
bool IsSameScene(const uint8_t* picture, int width, int height, const MotionBackground& background);

}  // namespace nvrd::codec
