// Motion for JavaScript.
#pragma once
#include <napi.h>

#include <memory>

#include "motion_watch.h"

namespace nvrd::codec {

// The watch of a MotionWatch of JavaScript; null for anything else.
std::shared_ptr<MotionWatch> MotionWatchOf(const Napi::Value& value);

// Findings as kMotionNumbers numbers each.
constexpr size_t kMotionNumbers = 6;
void WriteFindings(const std::vector<MotionFinding>& findings, double* numbers);

// Adds MotionWatch and RegionMotion to `exports`.
void InitMotion(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::codec
