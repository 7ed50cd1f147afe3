import type { AuditEntry } from "../../access/index.js";
import type { ArchiveNotice } from "../../archive/index.js";
import {
  BYTES_PER_MB,
  type Clock,
  EMPTY_GUID,
  type Guid,
  type StreamKey,
  US_PER_SECOND,
} from "../../base/index.js";
import { EVENT_TYPES, type EventInput } from "../../event/index.js";
import { modeChangeText, recordingMode, scheduleChangeText, scheduleText } from "../../recording/index.js";
import type { Site, SiteChange } from "../../site/index.js";

/** Maps reports of the rooms to events. */

/** The channel members of an event, with the channel's present name. */
export function channelOf(site: Site, channelId: Guid): { channelId: Guid; channelName: string } {
  const camera = site.cameras.find((candidate) => candidate.id === channelId);
  return { channelId, channelName: camera?.name ?? "" };
}

/** Maximum deviation from the recorder's clock. Beyond it, the other clock is wrong or the message is old. */
export const OTHER_CLOCK_OFF_US_MAX = 10 * US_PER_SECOND;

/** A moment by another clock; now, where that clock is wrong. */
export function nearTime(timeUs: number, clock: Pick<Clock, "nowUs">): number {
  const nowUs = clock.nowUs();
  return Math.abs(timeUs - nowUs) <= OTHER_CLOCK_OFF_US_MAX ? timeUs : nowUs;
}

/** The event for a notice of the archive. `eventsRedated`: of the log itself, for a clock that has become known. */
export function noticeEvent(notice: ArchiveNotice, site: Site, eventsRedated = 0): EventInput {
  const ofStream = (key: StreamKey, comment: string): Omit<EventInput, "typeId"> => ({
    ...channelOf(site, key.channelId),
    comment: `${key.streamType}: ${comment}`,
  });
  switch (notice.kind) {
    case "volume-lost":
      return event("volumeLost", { comment: `${notice.directory}: ${notice.reason}` });
    case "volume-taken":
      return event("volumeBack", { comment: `${notice.directory} (volume ${notice.volumeId})` });
    case "thinning-started":
      return event("thinningStarted", ofStream(notice.key, "only key frames are recorded"));
    case "thinning-ended":
      return event("thinningEnded", ofStream(notice.key, `${notice.framesThinned} frames were left out`));
    case "dropping-started":
      return event("droppingStarted", ofStream(notice.key, notice.reason));
    case "dropping-ended":
      return event("droppingEnded", ofStream(notice.key, `${notice.framesDropped} frames were lost`));
    case "min-days-unmet":
      return event("minDaysUnmet", {
        ...channelOf(site, notice.channelId),
        comment: `recordings of ${notice.keptDays.toFixed(1)} days are left`,
      });
    case "min-days-met":
      return event("minDaysMet", channelOf(site, notice.channelId));
    case "volume-full":
      return event("volumeFull", { comment: `${notice.directory}: ${missingOf(notice)}` });
    case "volume-too-small": {
      const [reserveMb, roomMb] = [notice.reserveBytes, notice.roomBytes].map((bytes) =>
        Math.round(bytes / BYTES_PER_MB),
      );
      const figures = `${reserveMb} MB are to stay free, and ${roomMb} MB are there for that and for recordings`;
      return event("volumeTooSmall", { comment: `${notice.directory}: ${figures}` });
    }
    case "volume-full-ended":
      return event("volumeFullEnded", { comment: notice.directory });
    case "protection-unknown":
      return event("protectionUnknown", { comment: notice.reason });
    case "protection-known":
      return event("protectionKnown", {});
    case "index-lost":
      return event("indexLost", { comment: notice.reason });
    case "index-rebuilt":
      return event("indexRebuilt", { comment: `${notice.segments} segments were read` });
    case "index-failing":
      return event("indexFailing", { comment: notice.reason });
    case "index-works":
      return event("indexWorks", {});
    case "clock-set": {
      const redated = `${notice.segmentsRedated} segments and ${eventsRedated} events`;
      const comment = `moved by ${seconds(notice.shiftUs)}; the times of ${redated} were corrected`;
      return event("clockSet", { comment });
    }
    case "clock-stepped":
      return event("clockStepped", { comment: `by ${seconds(notice.shiftUs)}` });
  }
}

/** The event for a login or failed login, with the user. */
export function auditEvent(entry: AuditEntry): EventInput {
  const { userName, address, way } = entry;
  const from = `${userName} from ${address}${wayText(way)}`;
  const initiator = {
    type: 1,
    id: entry.kind === "login" ? entry.userId : EMPTY_GUID,
    name: userName,
  } as const;
  const more =
    entry.kind !== "login" && entry.unreported > 0 ? `; ${entry.unreported} more were not reported` : "";
  switch (entry.kind) {
    case "login":
      return event("login", { initiator, comment: from });
    case "loginFailed":
      return event("loginFailed", { initiator, comment: from + more });
    case "lockedOut": {
      const waitSeconds = Math.ceil(entry.waitMs / 1000);
      return event("lockOut", { initiator, comment: `${from}: for ${waitSeconds} s${more}` });
    }
  }
}

function wayText(way: AuditEntry["way"]): string {
  if (way === "directory") return " (directory user)";
  if (way === "oidc") return " (OpenID Connect)";
  return way === "hub" ? " (through the hub)" : "";
}

/** The event for the change that made a revision of the configuration, with its user. */
export function changeEvent(revision: number, change: SiteChange): EventInput {
  const { by, summary } = change;
  return event("configurationChanged", {
    comment: `revision ${revision}: ${summary}`,
    ...(by === null ? {} : { initiator: { type: 1, id: by.userId, name: by.name } }),
  });
}

/** Events for each channel whose recording mode or schedule changed, or that was added. */
export function modeEvents(site: Site, previous: Site): EventInput[] {
  const before = new Map(previous.cameras.map((camera) => [camera.id, camera]));
  return site.cameras.flatMap((camera) => {
    const former = before.get(camera.id);
    const change = {
      from: former === undefined ? undefined : recordingMode(former),
      to: recordingMode(camera),
    };
    const comments = change.from === change.to ? [] : [modeChangeText(change)];
    const isSame =
      former === undefined || scheduleText(former.archive.schedule) === scheduleText(camera.archive.schedule);
    if (!isSame) comments.push(scheduleChangeText(former.archive.schedule));
    return comments.map((comment) =>
      event("recordingModeChanged", { ...channelOf(site, camera.id), comment }),
    );
  });
}

function event(name: keyof typeof EVENT_TYPES, input: Omit<EventInput, "typeId">): EventInput {
  return { typeId: EVENT_TYPES[name].id, ...input };
}

function missingOf({ missingBytes, missingFiles }: Extract<ArchiveNotice, { kind: "volume-full" }>): string {
  const bytes = missingBytes > 0 ? [`${Math.ceil(missingBytes / BYTES_PER_MB)} MB are missing`] : [];
  const files =
    missingFiles > 0
      ? [
          `room for ${missingFiles} files is missing, its inodes are used up: delete files of other programs, or format it with more inodes`,
        ]
      : [];
  return [...bytes, ...files].join("; ");
}

function seconds(shiftUs: number): string {
  const shown = (shiftUs / US_PER_SECOND).toFixed(3);
  return `${shiftUs >= 0 ? "+" : ""}${shown} s`;
}
