import type { ArchiveAccess, ArchiveKey } from "../../archive/index.js";
import { US_PER_HOUR } from "../../base/index.js";
import type { RecordingGap } from "./playback-reading.js";

type Fragments = Pick<ArchiveAccess, "fragments">;

/** Where the next recording at or after a moment begins; the moment itself where it is recorded. */
export function nextRecordedUs(archive: Fragments, key: ArchiveKey, fromUs: number): number | undefined {
  // A wider interval each time: most gaps are short, and a whole archive may have many thousands of fragments.
  for (let spanUs = US_PER_HOUR; ; spanUs *= 4) {
    const [first] = archive.fragments(key, fromUs, fromUs + spanUs);
    if (first !== undefined) return Math.max(first.fromUs, fromUs);
    if (fromUs + spanUs >= Number.MAX_SAFE_INTEGER / 4) return undefined;
  }
}

/** Where the last recording before a moment ends; the moment itself where it is recorded up to it. */
export function lastRecordedUs(archive: Fragments, key: ArchiveKey, beforeUs: number): number | undefined {
  for (let spanUs = US_PER_HOUR; ; spanUs *= 4) {
    const fromUs = Math.max(0, beforeUs - spanUs);
    const found = archive.fragments(key, fromUs, beforeUs);
    const endUs = found.reduce((latest, { toUs }) => Math.max(latest, toUs), 0);
    if (found.length > 0) return Math.min(endUs, beforeUs);
    if (fromUs === 0) return undefined;
  }
}

/** The gap that a moment lies in, as far as it is over: up to now where nothing follows. */
export function gapAt(
  archive: Fragments,
  key: ArchiveKey,
  at: { readonly timeUs: number; readonly nowUs: number },
): RecordingGap | undefined {
  const { timeUs, nowUs } = at;
  if (
    archive.fragments(key, timeUs, timeUs + 1).some(({ fromUs, toUs }) => fromUs <= timeUs && timeUs < toUs)
  )
    return undefined;
  const fromUs = lastRecordedUs(archive, key, timeUs) ?? timeUs;
  const toUs = nextRecordedUs(archive, key, timeUs) ?? Math.max(nowUs, timeUs);
  return { fromUs, toUs };
}
