import { type Guid, newGuid } from "../../base/index.js";

/** Where a fragment's frames come from: the camera's live stream, or what the camera kept and was fetched later. */
export type FragmentOrigin = "recorder" | "camera";

/** Position of the version in the text of a GUID. */
const VERSION_AT = 14;
/** RFC 9562, 5.8: the version for formats of one's own. Other fragments have version 4. */
const CAMERA_VERSION = "8";

/**
 * A fresh id for a fragment of what the camera kept. The origin is part of the id, so it is wherever the id is: in the
 * segment's header, in the index and after its rebuild, off the box, in answers.
 */
export function newCameraFragmentId(): Guid {
  const id = newGuid();
  return `${id.slice(0, VERSION_AT)}${CAMERA_VERSION}${id.slice(VERSION_AT + 1)}`;
}

export function fragmentOrigin(id: Guid): FragmentOrigin {
  return id.charAt(VERSION_AT) === CAMERA_VERSION ? "camera" : "recorder";
}
