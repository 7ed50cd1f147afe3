// The writer thread of a volume: the segment files being written. It makes no decisions: it writes what it is given, computes the
// CRCs, and reports errors by slot. It never syncs (segment_syncer.h). `src/archive/disk/volume-messages.ts`
// has what is said; `test/support/archive/model/segment-files.ts` is the model of it.
#pragma once
#include <napi.h>

namespace nvrd::segment_writer {

// Adds startSegmentWriter to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::segment_writer
