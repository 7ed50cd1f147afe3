import type { Archive } from "../../archive/index.js";
import {
  type Clock,
  type Interval,
  type Log,
  overlaps,
  type StreamKey,
  US_PER_SECOND,
} from "../../base/index.js";
import type { CardContents, CardRecording, Cards } from "../card/card-control.js";
import { type Gap, lengthOf, outsideAll } from "./gap.js";
import { BESIDE_US, GapEdges } from "./gap-edges.js";
import { GapWriting, type GapWritten } from "./gap-writing.js";
import { knownPictures } from "./known-pictures.js";

/** A gap counts as filled where no more than this is missing at its beginning: up to the first key frame. */
const HEAD_US_MAX = 12 * US_PER_SECOND;
/** And at its end, or where the camera has a step. */
const TAIL_US_MAX = 4 * US_PER_SECOND;

/** A gap as short as this need not have a picture of its own. */
const SHORT_US_MAX = 3 * US_PER_SECOND;

export type GapArchive = Pick<Archive, "read" | "fragments" | "gapWriter">;

export interface GapFillOptions {
  readonly gap: Gap;
  /** The stream that is recorded. */
  readonly key: StreamKey;
  readonly cards: Cards;
  readonly archive: GapArchive;
  readonly bytesPerSecondMax: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Of the gap, 0 to 1. */
  readonly onProgress: (part: number) => void;
}

export interface GapOutcome {
  readonly filledUs: number;
  /** Why some of it is missing; undefined: nothing is. */
  readonly missing: string | undefined;
}

/** The camera has nothing of a gap, or only a part of it. */
const NOTHING = "the camera kept nothing of this time";
const A_PART = "the camera kept only a part of this time";

/**
 * Fills one gap from the camera's card, as far as the camera has it. Rejects with NvrdError where that failed; what was written
 * until then stays.
 */
export async function fillGap(options: GapFillOptions): Promise<GapOutcome> {
  const { gap, cards, signal } = options;
  const asked = { fromUs: gap.fromUs - BESIDE_US, toUs: gap.toUs + BESIDE_US };
  const contents = await cards.contents(gap.channelId, asked, signal);
  const recordings = contents.recordings.filter((one) => hasSome(one, gap));
  if (recordings.length === 0) return { filledUs: 0, missing: NOTHING };
  const all: GapWritten[] = [];
  let left: readonly Interval[] = [gap];
  for (const recording of [...recordings].sort((one, other) => one.fromUs - other.fromUs)) {
    for (const part of left) {
      if (signal.aborted || !hasSome(recording, part)) continue;
      all.push(await playInto(options, { contents, recording, part }));
    }
    left = left.flatMap((part) =>
      outsideAll(
        part,
        all.filter(({ pictures }) => pictures > 0),
      ),
    );
  }
  return outcomeOf(gap, all);
}

async function playInto(
  options: GapFillOptions,
  {
    contents,
    recording,
    part,
  }: { readonly contents: CardContents; readonly recording: CardRecording; readonly part: Interval },
): Promise<GapWritten> {
  const { gap, key, cards, archive, bytesPerSecondMax, clock, log, signal, onProgress } = options;
  const { offsetUs, isExact = false } = contents;
  const known = await knownPictures({ archive, key, gap: part, clock });
  const edges = new GapEdges({ gap: part, known, offsetUs, isExact });
  const fromUs = Math.max(part.fromUs - BESIDE_US, recording.fromUs);
  const toUs = Math.min(part.toUs + BESIDE_US, Math.max(recording.toUs, fromUs + 1) + BESIDE_US);
  const { channelId } = gap;
  const span = { fromUs, toUs, offsetUs, bytesPerSecondMax, signal };
  const playback = await cards.play({ channelId, recording: recording.token, ...span });
  const writer = archive.gapWriter(key);
  const writing = new GapWriting({
    ...{ gap: part, playback, edges, sink: writer, clock, signal },
    onProgress: (timeUs) => onProgress((timeUs - gap.fromUs) / (gap.toUs - gap.fromUs)),
  });
  try {
    const written = await writing.run();
    log.debug({ ...written, isSure: edges.isSure }, "a playback of the camera's card ended");
    return written;
  } finally {
    playback.close();
    await writer.end(part.toUs);
  }
}

function outcomeOf(gap: Gap, all: readonly GapWritten[]): GapOutcome {
  const written = all.filter(({ pictures }) => pictures > 0).sort((one, other) => one.fromUs - other.fromUs);
  const missingUs = written.reduce((sum, one) => sum + one.missingUs, 0);
  const filledUs = Math.max(0, lengthOf(written) - missingUs);
  // The rest of a group of pictures that no key frame begins cannot be filled, and a picture that was recorded late leaves a gap
  // in which nothing is missing.
  if (filledUs === 0)
    return { filledUs, missing: gap.toUs - gap.fromUs <= SHORT_US_MAX ? undefined : NOTHING };
  const [head, ...others] = outsideAll(gap, written);
  const holes = head === undefined ? [] : [head, ...others];
  const isWhole =
    missingUs <= TAIL_US_MAX &&
    holes.every(
      (hole) => hole.toUs - hole.fromUs <= (hole.fromUs === gap.fromUs ? HEAD_US_MAX : TAIL_US_MAX),
    );
  return { filledUs, missing: isWhole ? undefined : A_PART };
}

function hasSome({ fromUs, toUs, sections }: CardRecording, part: Interval): boolean {
  if (!overlaps({ fromUs, toUs }, part)) return false;
  return sections === undefined || sections.some((section) => overlaps(section, part));
}
