import { hasRight, type Principal } from "../../access/index.js";
import type { ArchiveAccess, ProtectionAccess } from "../../archive/index.js";
import { type Clock, type Interval, US_PER_MS } from "../../base/index.js";
import { isUserInitiator, mayReadEventLog, maySeeAllUsers } from "../../compat/index.js";
import {
  EVENT_GROUPS,
  type TimelineChannel,
  type TimelineCounts,
  type TimelineEvents,
  type TimelineGap,
  type TimelineProtected,
  type TimelineRun,
} from "../../contract/answer/index.js";
import type { EventLog } from "../../event/index.js";
import type { Stills } from "../../picture/index.js";
import { type Camera, cameraOptions, type SiteStore } from "../../site/index.js";
import { EventDays, type Moments } from "./event-days.js";
import type { GapReasons } from "./gap-reasons.js";
import type { MotionSearches } from "./motion-searches.js";
import { RecordedDays } from "./recorded-days.js";
import { gapsBetween } from "./recorded-runs.js";
import { countBySteps, type Steps, stepUs } from "./step-counts.js";
import { joinedBySteps, type StepRun } from "./step-runs.js";
import type { Strips } from "./strips.js";

/** What the routes of this topic work with. */
export interface TimelineNeeds {
  readonly site: SiteStore;
  readonly archive: ArchiveAccess;
  readonly protection: ProtectionAccess;
  readonly events: EventLog;
  readonly timelines: Timelines;
  readonly stills: Stills;
  readonly strips: Strips;
  readonly motionSearches: MotionSearches;
  readonly clock: Clock;
}

export interface TimelinesOptions {
  readonly archive: ArchiveAccess;
  readonly protection: ProtectionAccess;
  readonly events: EventLog;
  readonly reasons: GapReasons;
  readonly clock: Clock;
}

/** Puts together what the timeline of a channel shows. */
export class Timelines {
  readonly #options: TimelinesOptions;
  readonly #events: EventDays;
  readonly #recorded: RecordedDays;

  constructor(options: TimelinesOptions) {
    this.#options = options;
    this.#events = new EventDays(options.events);
    this.#recorded = new RecordedDays(options);
  }

  /** What a user sees of a channel whose archive they may watch. Rejects with NvrdError NOT_AVAILABLE without the event log. */
  async channel(camera: Camera, steps: Steps, principal: Principal): Promise<TimelineChannel> {
    const { clock, reasons } = this.#options;
    const past = { fromUs: steps.fromUs, toUs: Math.min(steps.toUs, clock.nowUs()) };
    const explained = await reasons.of(camera, past);
    const moments = await this.#events.of(camera.id, past);
    const days = await this.#recorded.of(camera.id, past);
    const joined = (lists: readonly (readonly Interval[])[]) => joinedBySteps(lists, stepUs(steps), past);
    const runs = joined(days.map((day) => day.runs));
    const spans = (lists: readonly (readonly Interval[])[]) => joined(lists).map(spanObject);
    const hasCameraArchive = cameraOptions(camera).archive.deviceArchiveEnabled;
    const gaps = visibleGaps(runs, past, stepUs(steps)).flatMap((gap) => explained.explain(gap));
    return {
      Id: camera.id,
      Runs: runs.map(runObject),
      Gaps: gaps.map(
        ({ fromUs, toUs, reason }): TimelineGap => ({ ...spanObject({ fromUs, toUs }), Reason: reason }),
      ),
      Motion: counted(
        moments.filter(({ group }) => group === "motion"),
        steps,
      ),
      Events: eventCounts(moments, steps, principal),
      Protected: await this.#protected(camera, steps, principal),
      Sound: spans(days.map((day) => day.sound)),
      Away: spans(days.map((day) => day.away)),
      KeyFrames: spans(days.map((day) => day.keyFrames)),
      FromCamera: spans(hasCameraArchive ? days.map((day) => day.fromCamera) : []),
    };
  }

  /** A user who may not manage recordings does not see which of them are evidence, nor of what. */
  async #protected(camera: Camera, within: Interval, principal: Principal): Promise<TimelineProtected[]> {
    if (!hasRight(principal, "CanManageRec")) return [];
    const ranges = this.#options.protection.ranges(camera.id);
    return ranges
      .filter(({ fromUs, toUs }) => fromUs < within.toUs && toUs > within.fromUs)
      .map(({ id, fromUs, toUs, comment }) => ({
        ...spanObject({ fromUs, toUs }),
        Id: id,
        Comment: comment,
      }));
  }
}

/** The ends of the time belong to a run beside them that is less than a step away. */
function visibleGaps(runs: readonly StepRun[], within: Interval, step: number): Interval[] {
  const gaps = gapsBetween(runs, within);
  return runs.length === 0 ? gaps : gaps.filter(({ fromUs, toUs }) => toUs - fromUs >= step);
}

function eventCounts(moments: readonly Moments[], steps: Steps, principal: Principal): TimelineEvents[] {
  if (!mayReadEventLog(principal)) return [];
  const seen = moments.filter(
    ({ initiatorType, initiatorId }) =>
      !isUserInitiator(initiatorType) || initiatorId === principal.user.id || maySeeAllUsers(principal),
  );
  const byGroup = new Map<Moments["group"], Moments[]>();
  for (const kind of seen) {
    const known = byGroup.get(kind.group);
    if (known === undefined) byGroup.set(kind.group, [kind]);
    else known.push(kind);
  }
  return EVENT_GROUPS.flatMap((group) => {
    const kinds = byGroup.get(group);
    const counts = kinds === undefined ? undefined : counted(kinds, steps);
    return counts === undefined || counts.Total === 0 ? [] : [{ Group: group, ...counts }];
  });
}

function counted(moments: readonly Moments[], steps: Steps): TimelineCounts {
  return countBySteps(
    moments.map(({ timesUs }) => timesUs),
    steps,
  );
}

function runObject({ fromUs, toUs, recordedUs }: StepRun): TimelineRun {
  const span = spanObject({ fromUs, toUs });
  return recordedUs === toUs - fromUs ? span : { ...span, Recorded: ms(recordedUs) };
}

function spanObject({ fromUs, toUs }: Interval): { readonly From: number; readonly To: number } {
  return { From: ms(fromUs), To: ms(toUs) };
}

function ms(us: number): number {
  return us / US_PER_MS;
}
