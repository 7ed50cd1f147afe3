import { formatQuery } from "../../contract/query/index.js";
import { type ArchiveStatus, hasArchiveError } from "../../health/index.js";
import {
  answerDocument,
  answerFormat,
  bothAnswer,
  type Document,
  describeQuery,
  element,
  FLAG,
  meaning,
  NUMBER,
  object,
  objectOf,
  orNull,
  type Route,
  TEXT,
} from "../../route/index.js";

/** What the route works with. */
export interface HddStatusNeeds {
  readonly health: { readonly status: ArchiveStatus };
}

/** `Active`: the only value that clients have seen; a server that answers is always active. */
const SERVER_STATE = "Active";

const ERROR = orNull(FLAG);
const FIGURE = orNull({ ...NUMBER, minimum: 0 });

export const HDD_STATUS_ROUTE: Route<HddStatusNeeds> = {
  method: "GET",
  path: "/hddstatus",
  login: "user",

  describe: {
    topic: "system",
    summary: "Reports the state of the archive: size, write rate, depth and errors",
    text: [
      "It is for monitoring about every minute. The answer is at most a second old and comes from memory, without accessing disks. While the index is being rebuilt, size and depth cover only the segments read so far.",
      "",
      "In XML the root is `HddStatus` and the members are its child elements. Null means unknown; XML omits the element. When each error is set and cleared:",
      "",
      "| `ArchiveErrors` | set | cleared |",
      "|---|---|---|",
      "| `ErrorDb` | the index or the event log cannot be written, the index cannot be opened, or the event log is not open a minute after the start | it is written, or open, again; null while either is being opened |",
      "| `ErrorFrameSaving` | a stream's frames are dropped, or a segment failed | 5 minutes after the last one |",
      "| `ErrorAllDrives` | a volume of the settings cannot be used (refused, failed, unmounted, or its disk hangs), or a disk that a volume lies on is failing by its SMART | every volume can be used, and none lies on a failing disk |",
      "| `ErrorFramesShrinked` | only key frames of a stream are recorded, because its disk does not keep up | 5 minutes after all are recorded again |",
      "| `BadSmartStatus` | a disk of the machine is failing by its SMART ([what counts](../design/health.md#what-a-disk-says-and-what-it-means)); a worn disk is no error | no disk is failing: its figures were well for 24 hours, or it is gone. Null until a disk has reported its state: for the first seconds, and where [SMART cannot be read](../guide/disks.md#disk-health) |",
      "",
      "The [events](events.md) and `nvrd volume list` say which volume, stream or disk it is.",
    ],
    parameters: describeQuery(formatQuery),
    answer: bothAnswer(
      objectOf({
        ServerState: meaning("Always `Active`.", TEXT),
        ArchiveSizeMb: meaning(
          "Megabytes (10^6 bytes) of recordings on the volumes in use, including open segments. Null until the index is open.",
          FIGURE,
        ),
        ArchiveWriteSpeedMBps: meaning(
          "**Megabits** (10^6) a second handed to all disks, averaged over the last two minutes; the name says megabytes, the reference megabits. Null for the first second.",
          FIGURE,
        ),
        ArchiveDepthDays: meaning(
          "Recorded time, without gaps, of the stream that has most of it, in days of 24 hours. Only closed segments count; it is counted again every minute. Null until the index is open and has been counted once, which takes a second for each 1000 days of streams.",
          FIGURE,
        ),
        IsArchiveOverload: meaning("Any of the errors is true. Null for the first moment.", ERROR),
        ArchiveErrors: objectOf({
          ErrorDb: ERROR,
          ErrorFrameSaving: ERROR,
          ErrorAllDrives: ERROR,
          ErrorFramesShrinked: ERROR,
          BadSmartStatus: ERROR,
        }),
      }),
      "The state.",
      {
        ServerState: "Active",
        ArchiveSizeMb: 1_204_318.205,
        ArchiveWriteSpeedMBps: 126.4,
        ArchiveDepthDays: 21.75,
        IsArchiveOverload: true,
        ArchiveErrors: {
          ErrorDb: false,
          ErrorFrameSaving: false,
          ErrorAllDrives: false,
          ErrorFramesShrinked: true,
          BadSmartStatus: null,
        },
      },
    ),
    example: ['curl -fu "$AUTH" "$NVRD/hddstatus?responsetype=json"'],
  },
  /** GET /hddstatus: the archive's last known state. */
  endpoint({ needs, request }) {
    return answerDocument(describeStatus(needs.health.status), answerFormat(request.query));
  },
};

/** `ArchiveWriteSpeedMBps` is in megabits, as in the reference. */
function describeStatus({ sizeMb, writeMbitPerSecond, depthDays, errors }: ArchiveStatus): Document {
  return {
    root: "HddStatus",
    content: object(
      element("ServerState", SERVER_STATE),
      element("ArchiveSizeMb", sizeMb),
      element("ArchiveWriteSpeedMBps", writeMbitPerSecond),
      element("ArchiveDepthDays", depthDays),
      element("IsArchiveOverload", hasArchiveError(errors)),
      element(
        "ArchiveErrors",
        object(
          element("ErrorDb", errors.database),
          element("ErrorFrameSaving", errors.frameSaving),
          element("ErrorAllDrives", errors.drives),
          element("ErrorFramesShrinked", errors.thinning),
          element("BadSmartStatus", errors.smart),
        ),
      ),
    ),
  };
}
