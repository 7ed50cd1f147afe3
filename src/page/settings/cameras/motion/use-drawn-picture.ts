import { useLivePicture } from "../../../wall/tile/use-live-picture.js";
import type { Camera } from "../model.js";

/** The shape of a picture that there is none of. */
const RATIO = 16 / 9;

/**
 * The live picture of a camera that is drawn over, and width by height of it. Until its shape is known, or it is known that there is
 * none, no hand draws: the picture would change below it. Keys may.
 */
export function useDrawnPicture({ Id }: Camera) {
  const { box, video, picture } = useLivePicture({ channel: Id, isMain: false, hasSound: false });
  const { stream, problem, refusal } = picture?.state.value ?? {};
  const hasNone = refusal !== undefined || (problem !== undefined && problem.reason !== "starting");
  const ratio = stream === undefined ? RATIO : stream.width / stream.height;
  return { box, video, ratio, hasShape: stream !== undefined || hasNone };
}
