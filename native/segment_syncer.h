// The sync thread of a volume: makes durable what the writer thread has written, closes segments and moves them to their place. It has
// descriptors of its own, so that writes never wait for a sync and no thread closes what another one uses.
// `src/archive/disk/segment-syncs.ts` does the same where there is no addon, and `volume-messages.ts` has what is said.
#pragma once
#include <napi.h>

namespace nvrd::segment_syncer {

// Adds startSegmentSyncer to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::segment_syncer
