// The sync thread of a volume: makes durable what the writer thread has written, closes segments and moves them to their place. It has
// descriptors of its own, so that writes never wait for a sync and no thread closes what another one uses.
// `src/archive/disk/volume-messages.ts` has what is said; `test/support/archive/model/segment-syncs.ts` is the model of it.
#pragma once
#include <napi.h>

namespace nvrd::segment_syncer {

// Adds startSegmentSyncer to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::segment_syncer
