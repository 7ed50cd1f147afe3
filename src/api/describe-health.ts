import { RESPONSE_TYPE } from "./describe-viewing.js";
import { FLAG, NUMBER, objectOf, orNull, TEXT } from "./json-schema.js";
import { bothAnswer, type RouteDescription } from "./route-description.js";

/** How the recorder is, as /openapi.json describes it. */

const FIGURE = orNull({ ...NUMBER, minimum: 0 });
const ERROR = orNull(FLAG);

export const HDD_STATUS_DESCRIPTION: RouteDescription = {
  summary: "How the archive is: its size, writing speed, depth and errors",
  parameters: [RESPONSE_TYPE],
  answer: bothAnswer(
    objectOf({
      ServerState: TEXT,
      ArchiveSizeMb: { ...FIGURE, description: "Megabytes (10^6 bytes)." },
      ArchiveWriteSpeedMBps: { ...FIGURE, description: "Megabits (10^6) a second." },
      ArchiveDepthDays: FIGURE,
      IsArchiveOverload: ERROR,
      ArchiveErrors: objectOf({
        ErrorDb: ERROR,
        ErrorFrameSaving: ERROR,
        ErrorAllDrives: ERROR,
        ErrorFramesShrinked: ERROR,
        BadSmartStatus: ERROR,
      }),
    }),
    "The state, at most a second old. Null: not known; XML leaves such an element out.",
  ),
};
