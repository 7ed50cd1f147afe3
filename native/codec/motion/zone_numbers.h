// The zones of a motion detector as numbers, as src/picture/codec/motion-watch.ts writes them. No N-API.
#pragma once
#include <cstddef>
#include <vector>

#include "zone_map.h"

namespace nvrd::codec {

// For each zone: sensitivity, least size in percent, kind; of a polygon the number of its points and x and y of each; of
// a grid its columns, its rows and a number a cell. False for anything else, and for values out of their ranges.
bool ReadZones(const double* numbers, size_t count, std::vector<MotionZone>* zones);

}  // namespace nvrd::codec
