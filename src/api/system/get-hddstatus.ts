import { type ArchiveStatus, hasArchiveError } from "../../health/index.js";
import {
  answerDocument,
  answerFormat,
  type Document,
  type EndpointResult,
  element,
  object,
  type RequestContext,
} from "../route/index.js";
import type { SystemNeeds } from "./needs.js";

/** `Active`: the only value that clients have seen; a server that answers is active. */
const SERVER_STATE = "Active";

/** GET /hddstatus: the archive's state as last looked at. */
export function getHddStatus({ needs, request }: RequestContext<SystemNeeds>): EndpointResult {
  return answerDocument(describeStatus(needs.health.status), answerFormat(request.query));
}

/** `ArchiveWriteSpeedMBps` carries megabits, as the reference says of it. */
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
