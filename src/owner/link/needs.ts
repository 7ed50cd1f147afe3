import type { EventLog } from "../../event/index.js";
import type { FileNeeds } from "../file/index.js";
import type { FileLinks } from "./file-links.js";
import type { LinkDoor } from "./link-door.js";

/** What the routes of this topic work with. */
export interface LinkNeeds extends FileNeeds {
  readonly fileLinks: FileLinks;
  readonly linkDoor: LinkDoor;
  readonly events: Pick<EventLog, "raise">;
}
