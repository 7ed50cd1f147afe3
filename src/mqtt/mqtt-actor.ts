import type { Guid } from "../base/index.js";
import type { PtzUser } from "../camera/index.js";
import type { EventRecord } from "../event/index.js";

/**
 * Whom the recorder acts for towards the broker: what is published is what this user may see, and commands are this user's.
 * Made anew for each revision of the configuration.
 */
export interface MqttActor {
  /** Undefined: nobody commands. */
  readonly user: PtzUser | undefined;
  /** Why nobody does, for the answer to a command. */
  readonly refusal: string;
  /** A channel that it may not see does not exist. */
  maySee(channelId: Guid): boolean;
  /** Pictures and presets. */
  mayWatch(channelId: Guid): boolean;
  readonly maySwitchRecording: boolean;
  readonly mayMove: boolean;
  readonly mayRunScenarios: boolean;
  /** The event as it may be published; undefined: not at all. */
  shown(event: EventRecord): EventRecord | undefined;
}
