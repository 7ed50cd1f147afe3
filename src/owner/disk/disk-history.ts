import { formatIsoTime, NvrdError, US_PER_DAY } from "../../base/index.js";
import { type DiskHistory, diskHistory } from "../../contract/answer/index.js";
import { diskHistoryQuery } from "../../contract/query/index.js";
import type { DiskSample } from "../../health/index.js";
import { shown } from "../../http/index.js";
import {
  answerJson,
  capitalized,
  describeQuery,
  jsonAnswer,
  type Route,
  readParameter,
  schemaOf,
} from "../../route/index.js";
import type { DiskNeeds } from "./disks.js";

const DATE_LENGTH = 10;

export const DISK_HISTORY_ROUTE: Route<DiskNeeds> = {
  method: "GET",
  path: "/api/disks/history",
  login: "administrator",

  describe: {
    topic: "system",
    summary: "Returns what a disk has said of itself (SMART), a sample a day",
    text: [
      "An addition of nvrd's. The recorder keeps one sample of each day for 400 days, and one of each week for ten years: the last figures of the day, and its highest temperature. A disk keeps its history wherever it is plugged in.",
    ],
    parameters: describeQuery(diskHistoryQuery),
    answer: jsonAnswer(
      schemaOf(diskHistory),
      "The samples, the oldest first; none for a disk that says nothing of itself.",
    ),
    errors: { 404: "There is no such disk, or it was not looked at yet." },
    example: [
      "# Where no such disk was seen: 404.",
      'curl -fu "$AUTH" "$NVRD/api/disks/history?device=/dev/sda"',
    ],
  },
  /** GET /api/disks/history: what a disk has said of itself over the years. */
  endpoint({ needs, request }) {
    const device = readParameter(request.query, diskHistoryQuery, "device");
    const samples = needs.diskHistory.of(device);
    if (samples === undefined)
      throw new NvrdError("NOT_FOUND", `there is no disk ${shown(device)}`, {
        hint: "GET /api/disks lists the disks; they are looked at some seconds after the start",
      });
    return answerJson<DiskHistory>({ Device: device, Samples: samples.map(describeSample) });
  },
};

function describeSample({ day, ...figures }: DiskSample): DiskHistory["Samples"][number] {
  return { Date: formatIsoTime(day * US_PER_DAY).slice(0, DATE_LENGTH), ...capitalized(figures) };
}
