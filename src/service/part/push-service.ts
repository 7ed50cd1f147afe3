import {
  PUSH_REACH_PUBLIC,
  Pushes,
  type PushesOptions,
  pushSender,
  WEBHOOK_REACH_ANY,
} from "../../alarm/index.js";
import { mayReceive, shownEvent } from "../../compat/index.js";
import type { Settings } from "../../settings/index.js";

interface PushServiceOptions extends Pick<PushesOptions, "site" | "events" | "clock" | "log"> {
  readonly settings: Settings;
}

/** The messages to browsers, with what the API shows each user of events. */
export function createPushes({ settings, ...parts }: PushServiceOptions): Pushes {
  const { dataDir, pushPrivateTargets, pushContact } = settings;
  const reach = pushPrivateTargets === "allow" ? WEBHOOK_REACH_ANY : PUSH_REACH_PUBLIC;
  return new Pushes({
    ...parts,
    dataDir,
    send: pushSender(reach, pushContact),
    shown: (principal, event) =>
      mayReceive(principal, event) ? shownEvent(principal, parts.site.current.cameras, event) : undefined,
  });
}
