import type { BoxesControl } from "../../../src/owner/index.js";

/** Of a hub at which nobody rolls out an update. */
export const noRollout: BoxesControl["rollout"] = {
  ...{ state: undefined, bundle: undefined },
  receive: () => Promise.reject(new Error("no bundle is sent here")),
  begin: () => Promise.reject(new Error("nothing is rolled out here")),
  end: () => Promise.resolve(),
};
