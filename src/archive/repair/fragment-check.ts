import type { Guid } from "../../base/index.js";
import { comparePositions, continues, type Run } from "../index/fragment-table.js";
import { type IndexStore, spanOf } from "../index/index-store.js";
import type { SegmentSummary } from "../segment/segment-summary.js";

/** Fragment ids compared between streams: 64 cameras that record on motion for a year. */
const FRAGMENT_IDS_MAX = 3_000_000;
const ID_TAIL_DIGITS = 13;

interface Chain {
  run: Run;
  sequence: number;
}

export interface ChainFault {
  readonly kind: "overlap" | "sequence";
  readonly segment: SegmentSummary;
}

/**
 * Builds runs from segments that come in order of time, all streams mixed, and compares each with its row when it ends.
 * Streams whose rows differ are only suspected: the archive goes on changing while a check runs.
 */
export class FragmentCheck {
  readonly #store: IndexStore;
  readonly #chains = new Map<string, Chain>();
  readonly #suspects = new Set<number>();
  #runs = 0;

  constructor(store: IndexStore) {
    this.#store = store;
  }

  take(stream: number, segment: SegmentSummary): ChainFault | undefined {
    const name = `${stream} ${segment.epoch}`;
    const chain = this.#chains.get(name);
    const span = spanOf(stream, this.#store.volumeNumber(segment.volumeId) ?? 0, segment);
    const follows = chain !== undefined && chain.run.id === span.id && chain.run.toUs === span.fromUs;
    const fault = faultOf(chain, segment, follows);
    if (chain !== undefined && continues(chain.run, span)) {
      chain.run = { ...chain.run, toUs: span.toUs };
      chain.sequence = segment.fragmentSequence;
      return fault;
    }
    if (chain !== undefined) this.#compare(chain.run);
    this.#chains.set(name, { run: span, sequence: segment.fragmentSequence });
    return fault;
  }

  /** Ends the chains that are left and looks for rows without segments. */
  finish(): {
    readonly suspects: ReadonlySet<number>;
    readonly runs: number;
    readonly sharedIds: ReadonlySet<Guid>;
  } {
    for (const { run } of this.#chains.values()) this.#compare(run);
    this.#chains.clear();
    const streamOfId = new Map<number, number>();
    const sharedIds = new Set<Guid>();
    for (const row of this.#store.fragments.all()) {
      const id = tailOf(row.id);
      const known = streamOfId.get(id);
      if (known !== undefined && known !== row.stream) sharedIds.add(row.id);
      else if (streamOfId.size < FRAGMENT_IDS_MAX) streamOfId.set(id, row.stream);
      const first = this.#store.segments.firstFrom({ ...row, timeUs: row.fromUs }, row.fromUs);
      if (first === undefined) this.#suspects.add(row.stream);
    }
    return { suspects: this.#suspects, runs: this.#runs, sharedIds };
  }

  #compare(run: Run): void {
    this.#runs += 1;
    const row = this.#store.fragments.at(run);
    if (row?.id !== run.id || row.toUs !== run.toUs || row.volume !== run.volume)
      this.#suspects.add(run.stream);
  }
}

/** The last 52 bits of an id: as distinct as the whole, in a tenth of the memory. */
function tailOf(id: Guid): number {
  return Number.parseInt(id.replaceAll("-", "").slice(-ID_TAIL_DIGITS), 16);
}

function faultOf(
  chain: Chain | undefined,
  segment: SegmentSummary,
  follows: boolean,
): ChainFault | undefined {
  if (chain === undefined) return undefined;
  if (segment.fromUs < chain.run.toUs) return { kind: "overlap", segment };
  if (follows && segment.fragmentSequence !== chain.sequence + 1) return { kind: "sequence", segment };
  return undefined;
}

/** A stream's runs as its segments say, in recorded order. Reads the whole stream without a pause. */
export function runsOfSegments(store: IndexStore, stream: number): Run[] {
  const spans: Run[] = [];
  for (const segment of store.segments.ofStream(stream)) {
    const summary = store.summary(segment);
    if (summary === undefined) continue;
    spans.push(spanOf(stream, store.volumeNumber(summary.volumeId) ?? 0, summary));
  }
  spans.sort(comparePositions);
  const runs: Run[] = [];
  for (const span of spans) {
    const last = runs.at(-1);
    if (last !== undefined && continues(last, span)) runs[runs.length - 1] = { ...last, toUs: span.toUs };
    else runs.push(span);
  }
  return runs;
}

/** Whether a stream's rows agree with its segments; with `repair` they are corrected. */
export function compareFragments(store: IndexStore, stream: number, repair: boolean): boolean {
  const expected = runsOfSegments(store, stream);
  const actual = [...store.fragments.ofStream(stream)];
  const same =
    expected.length === actual.length &&
    expected.every((run, at) => {
      const row = actual[at];
      const sameExtent = row !== undefined && comparePositions(run, row) === 0 && run.toUs === row.toUs;
      return sameExtent && run.id === row.id && run.volume === row.volume;
    });
  if (!same && repair) {
    store.totals.dropSummaries(stream, store.generation);
    store.fragments.clear(stream, store.generation);
    for (const run of expected) store.fragments.add(run, store.generation);
  }
  return same;
}
