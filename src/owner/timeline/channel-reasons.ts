import type { RemovedTime } from "../../archive/index.js";
import { type Interval, US_PER_SECOND } from "../../base/index.js";
import type { GapReason } from "../../contract/answer/index.js";
import type { ChannelHistory } from "./channel-history.js";
import { addEndsWithin, holding } from "./intervals.js";
import type { RecorderHistory } from "./recorder-history.js";

/** A camera's loss is reported when it has lasted for some seconds, and dated then. */
const REPORTED_LATE_US = 30 * US_PER_SECOND;
/** Connecting a camera, and starting the service, take time after their reason is over. */
const AFTERMATH_US = 60 * US_PER_SECOND;
/** The longest interruption of a stream that is not reported. */
const INTERRUPTED_US_MAX = 15 * US_PER_SECOND;
/** What was received this long ago may not be on the disk yet, and a reason not be reported yet. */
const YOUNG_US = 15 * US_PER_SECOND;

/** A part of a gap, and its reason. */
export interface ExplainedGap extends Interval {
  readonly reason: GapReason;
}

/** A time whose recordings retention has deleted. */
export interface DeletedTime extends Interval {
  readonly reason: Extract<GapReason, "deleted-age" | "deleted-space">;
}

/** What retention has removed, as times with reasons. */
export function deletedTimes(removed: readonly RemovedTime[]): DeletedTime[] {
  return removed.map(({ fromUs, toUs, cause }) => ({ fromUs, toUs, reason: `deleted-${cause}` }));
}

export interface ReasonSources {
  readonly recorder: RecorderHistory;
  readonly channel: ChannelHistory;
  /** When the schedule is on, within the time that is asked about. */
  readonly scheduled: readonly Interval[];
  readonly deleted: readonly DeletedTime[];
  /** Where the channel's recordings begin. */
  readonly firstRecordedUs: number | undefined;
  /** Whether it is known what was recorded from a moment on. */
  readonly isKnown: (fromUs: number) => boolean;
  /** Whether the channel's frames are written now. */
  readonly isRecording: boolean;
  readonly nowUs: number;
  /** The beginning of the time that is asked about. */
  readonly fromUs: number;
  /** Its end, now at the latest. */
  readonly untilUs: number;
}

type Known = GapReason | undefined;

/** Explains the gaps in one channel's recording from what is known of the channel and the recorder. */
export class ChannelReasons {
  readonly #of: ReasonSources;
  /** When the channel began to be there, as far as is known. */
  readonly #sinceUs: number | undefined;

  constructor(sources: ReasonSources) {
    this.#of = sources;
    this.#sinceUs = sources.channel.addedUs;
  }

  /** The parts of a gap, in order, each with its reason. */
  explain(gap: Interval): ExplainedGap[] {
    if (gap.toUs <= gap.fromUs) return [];
    if (!this.#of.isKnown(gap.fromUs) || this.#isEdge(gap)) return [{ ...gap, reason: "not-known-yet" }];
    const parts = joined(this.#parts(gap));
    if (this.#wasBack(gap)) leaveOutLoss(parts);
    backdate(parts);
    fillBriefly(parts);
    const explained = joined(parts).map((part) => {
      return { ...part, reason: part.reason ?? this.#unexplained(part, gap) };
    });
    return joined(explained);
  }

  /** The reason of most of a gap. */
  main(gap: Interval): GapReason {
    const lengths = new Map<GapReason, number>();
    for (const { fromUs, toUs, reason } of this.explain(gap))
      lengths.set(reason, (lengths.get(reason) ?? 0) + toUs - fromUs);
    return [...lengths].sort(([, a], [, b]) => b - a)[0]?.[0] ?? "unknown";
  }

  /** The recording goes on behind the gap: its newest frames are not on the disk yet. */
  #isEdge(gap: Interval): boolean {
    return this.#of.isRecording && this.#isYoung(gap);
  }

  /** It is that of the last seconds before now. */
  #isYoung({ fromUs, toUs }: Interval): boolean {
    const { untilUs, nowUs } = this.#of;
    return toUs >= untilUs && fromUs >= nowUs - YOUNG_US;
  }

  /** The camera that was lost was recorded up to the gap: its return is reported some seconds later, or never. */
  #wasBack({ fromUs }: Interval): boolean {
    const { channel, fromUs: askedUs } = this.#of;
    const lost = holding(channel.lost, fromUs);
    return lost !== undefined && lost.fromUs < fromUs && fromUs > askedUs;
  }

  #parts(gap: Interval): Part[] {
    const { recorder, channel, scheduled, deleted } = this.#of;
    const cuts: number[] = [];
    const sources = [
      ...[recorder.downTimes, recorder.skipped, recorder.held, deleted, scheduled],
      ...[channel.modes, channel.lost, channel.anyLost, channel.dropping],
      ...[channel.unrecorded, channel.switchedOn],
    ];
    for (const intervals of sources) addEndsWithin(cuts, intervals, gap);
    const since = this.#sinceUs;
    if (since !== undefined && since > gap.fromUs && since < gap.toUs) cuts.push(since);
    cuts.sort((a, b) => a - b);
    const parts: Part[] = [];
    let fromUs = gap.fromUs;
    for (const toUs of [...cuts, gap.toUs]) {
      if (toUs > fromUs) parts.push({ fromUs, toUs, reason: this.#at(fromUs, gap) });
      fromUs = Math.max(fromUs, toUs);
    }
    return parts;
  }

  /** The reason from a moment on, up to the next end of what it is made from. */
  #at(timeUs: number, gap: Interval): Known {
    const { recorder, channel, deleted } = this.#of;
    const gone = holding(deleted, timeUs);
    if (gone !== undefined) return gone.reason;
    if (this.#sinceUs !== undefined && timeUs < this.#sinceUs) return "not-recorded-yet";
    const mode = holding(channel.modes, timeUs)?.mode;
    if (mode === "off") return "switched-off";
    const down = holding(recorder.downTimes, timeUs);
    // What ends before the next run began was not ended by it.
    const isDown = down !== undefined && (gap.toUs >= down.overUs || gap.toUs >= this.#of.untilUs);
    if (isDown) return down.reason;
    if (holding(recorder.skipped, timeUs) !== undefined) return "clock-unknown";
    if (mode === "BySchedule" && holding(this.#of.scheduled, timeUs) === undefined) return "by-schedule";
    if (mode === "OnlyManual" && holding(channel.switchedOn, timeUs) === undefined) return "not-started";
    // A camera that was not read may end the stream: it was the recorder.
    if (holding(recorder.held, timeUs) !== undefined) return "recorder-busy";
    if (holding(channel.lost, timeUs) !== undefined) return "camera-lost";
    if (holding(channel.dropping, timeUs) !== undefined) return "disk";
    if (holding(channel.unrecorded, timeUs) !== undefined) return "not-recordable";
    if (mode === "MDandManual" && holding(channel.switchedOn, timeUs) === undefined) return "no-motion";
    return holding(channel.anyLost, timeUs) === undefined ? undefined : "camera-lost";
  }

  #unexplained(part: Interval, gap: Interval): GapReason {
    const { firstRecordedUs, deleted } = this.#of;
    if (this.#isYoung(part)) return "not-known-yet";
    const beganUs = deleted[0]?.fromUs ?? firstRecordedUs ?? Number.POSITIVE_INFINITY;
    if (part.fromUs < beganUs) return "not-recorded-yet";
    return gap.toUs - gap.fromUs <= INTERRUPTED_US_MAX ? "interrupted" : "unknown";
  }
}

interface Part<Reason = Known> extends Interval {
  readonly fromUs: number;
  toUs: number;
  reason: Reason;
}

/** Parts that follow each other with the same reason are one. */
function joined<Reason>(parts: readonly Readonly<Part<Reason>>[]): Part<Reason>[] {
  const found: Part<Reason>[] = [];
  for (const part of parts) {
    const last = found.at(-1);
    if (last !== undefined && last.reason === part.reason) last.toUs = part.toUs;
    else found.push({ ...part });
  }
  return found;
}

/** A loss that was over explains nothing where another reason begins within seconds. */
function leaveOutLoss([first, second]: readonly Part[]): void {
  if (first?.reason !== "camera-lost" || second?.reason === undefined) return;
  if (first.toUs - first.fromUs <= REPORTED_LATE_US) first.reason = second.reason;
}

const REPORTED_LATE = new Set<Known>(["camera-lost", "disk", "not-recordable"]);

/** A reason that is reported seconds after it began was there from its beginning. */
function backdate(parts: readonly Part[]): void {
  for (const [at, part] of parts.entries()) {
    const next = parts[at + 1];
    // Motion cannot be seen without the camera, so that its end is that of the recording.
    const mayBe = part.reason === undefined || (at === 0 && part.reason === "no-motion");
    const isShort = part.toUs - part.fromUs <= REPORTED_LATE_US;
    if (mayBe && isShort && REPORTED_LATE.has(next?.reason)) part.reason = next?.reason;
  }
}

/** What is not explained for less than a minute belongs to the reason before it, or else behind it. */
function fillBriefly(parts: readonly Part[]): void {
  for (const [at, part] of parts.entries()) {
    if (part.reason !== undefined || part.toUs - part.fromUs > AFTERMATH_US) continue;
    part.reason = parts[at - 1]?.reason ?? parts[at + 1]?.reason;
  }
}
