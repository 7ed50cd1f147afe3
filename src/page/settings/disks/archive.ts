import type { ArchiveReach } from "../../../contract/answer/index.js";
import { requestJson } from "../../state/request.js";

export function readArchive(): Promise<ArchiveReach> {
  return requestJson<ArchiveReach>("/api/archive");
}
