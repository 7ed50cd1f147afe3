import { type Guid, newGuid } from "../../base/index.js";

/** Where a fragment's frames come from: the camera's live stream, or what the camera kept and was fetched later. */
export type FragmentOrigin = "recorder" | "camera";

/** Position of the version in the text of a GUID. */
const VERSION_AT = 14;
/** RFC 9562, 5.8: the version for formats of one's own. */
const CAMERA_VERSION = "8";
const RECORDER_VERSION = "4";
/** The same for fragments that are key frames alone: each with its lowest bit set. */
const CAMERA_KEYS_VERSION = "9";
const RECORDER_KEYS_VERSION = "5";

/**
 * A fresh id for a fragment of what the camera kept. The origin is part of the id, so it is wherever the id is: in the
 * segment's header, in the index and after its rebuild, off the box, in answers.
 */
export function newCameraFragmentId(): Guid {
  return withVersion(newGuid(), CAMERA_VERSION);
}

export function fragmentOrigin(id: Guid): FragmentOrigin {
  const version = id.charAt(VERSION_AT);
  return version === CAMERA_VERSION || version === CAMERA_KEYS_VERSION ? "camera" : "recorder";
}

/**
 * The id of the key frames of a fragment, without everything between them and without sound. They are a fragment of their own:
 * nothing takes a second of one picture for a second of video, or goes on from one to the other in the middle of a GOP. Undefined
 * for an id that no fragment of this recorder has.
 */
export function keyFramesFragmentId(id: Guid): Guid | undefined {
  const version = id.charAt(VERSION_AT);
  if (version === RECORDER_VERSION) return withVersion(id, RECORDER_KEYS_VERSION);
  return version === CAMERA_VERSION ? withVersion(id, CAMERA_KEYS_VERSION) : undefined;
}

/** Whether a fragment has the key frames of its time alone. */
export function isKeyFramesFragment(id: Guid): boolean {
  const version = id.charAt(VERSION_AT);
  return version === RECORDER_KEYS_VERSION || version === CAMERA_KEYS_VERSION;
}

function withVersion(id: Guid, version: string): Guid {
  return `${id.slice(0, VERSION_AT)}${version}${id.slice(VERSION_AT + 1)}`;
}
