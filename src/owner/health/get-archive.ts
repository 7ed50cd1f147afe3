import type { DayBytes } from "../../archive/index.js";
import { formatIsoTime, US_PER_DAY } from "../../base/index.js";
import { type ArchiveChannel, type ArchiveReach, archiveReach } from "../../contract/answer/index.js";
import { type ChannelReach, readReach } from "../../health/index.js";
import { INDEX_IS_OPENING, requireIndex, visibleCameras } from "../../player/index.js";
import { answerJson, jsonAnswer, type Route, sayLack, schemaOf } from "../../route/index.js";
import type { HealthNeeds } from "./states.js";

const DAY_LENGTH = 10;
/** To the second, as `DepthDays` of `/api/health`: a screen says minutes of a recording that has just begun. */
const DAY_DECIMALS = 5;
const US_PER_HOUR = US_PER_DAY / 24;

export const ARCHIVE_REACH_ROUTE: Route<HealthNeeds> = {
  method: "GET",
  path: "/api/archive",
  login: "user",

  describe: {
    topic: "system",
    summary: "Returns how far back the recordings reach, why, and how far they will",
    access: "Only channels that are allowed in the archive are listed. The totals are those of all channels.",
    text: [
      "An addition of nvrd's. The figures come from memory and the index: no disk is accessed. Bytes of a day are those of the segments that began on it and are closed.",
      "",
      "The forecast takes the volumes that are recorded onto together. Retention keeps all channels to the same age, except for their `MinDays` and `MaxDays`: `DaysHeld` is that age.",
    ],
    answer: jsonAnswer(schemaOf(archiveReach), "The recordings."),
    errors: { 503: INDEX_IS_OPENING },
    example: ['curl -fu "$AUTH" "$NVRD/api/archive"'],
  },
  /** GET /api/archive: how far back each channel reaches, why, and the forecast. */
  async endpoint(context) {
    const { needs, principal } = context;
    const { site, archive, monitoring, clock } = needs;
    requireIndex(archive);
    sayLack(context);
    const { volumes } = await monitoring.figures();
    const reach = await readReach(needs, volumes);
    const nowUs = clock.nowUs();
    const seen = new Set(visibleCameras(site.current, principal).map(({ id }) => id));
    const channels = reach.channels.filter(({ id }) => seen.has(id) && principal.mayWatchArchive(id));
    return answerJson<ArchiveReach>({
      Time: formatIsoTime(nowUs),
      UsedBytes: Math.round(reach.usedBytes),
      AllowedBytes: Math.round(reach.allowedBytes),
      ProtectedBytes: Math.round(reach.protectedBytes),
      BytesPerDay: wholeOrNull(reach.bytesPerDay),
      DaysHeld: daysOrNull(reach.daysHeld),
      FullTime: timeOrNull(reach.fullUs),
      Channels: channels.map((channel) => describeChannel(channel, nowUs)),
    });
  },
};

function describeChannel(channel: ChannelReach, nowUs: number): ArchiveChannel {
  const { id, name, oldestUs, completeSinceUs, reason, days, bytesPerDay, forecastDays, bytes } = channel;
  return {
    ChannelId: id,
    Name: name,
    OldestTime: timeOrNull(oldestUs),
    CompleteSinceTime: timeOrNull(completeSinceUs),
    DepthDays: completeSinceUs === undefined ? null : daysOrNull((nowUs - completeSinceUs) / US_PER_DAY),
    Reason: reason,
    MinDays: days.minDays,
    MaxDays: days.maxDays,
    BytesPerDay: wholeOrNull(bytesPerDay),
    ForecastDays: daysOrNull(forecastDays),
    RecordedBytes: bytes?.recordedBytes ?? null,
    Days: bytes?.days.map(describeDay) ?? [],
  };
}

function describeDay({ day, bytes, durationUs }: DayBytes): ArchiveChannel["Days"][number] {
  return {
    Date: formatIsoTime(day * US_PER_DAY).slice(0, DAY_LENGTH),
    Bytes: bytes,
    Hours: rounded(durationUs / US_PER_HOUR),
  };
}

function timeOrNull(timeUs: number | undefined): string | null {
  return timeUs === undefined ? null : formatIsoTime(Math.round(timeUs));
}

function wholeOrNull(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value);
}

function daysOrNull(days: number | undefined): number | null {
  return days === undefined ? null : rounded(days);
}

function rounded(days: number): number {
  return Math.round(days * 10 ** DAY_DECIMALS) / 10 ** DAY_DECIMALS;
}
