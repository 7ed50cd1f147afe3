import { signal } from "@preact/signals";
import type { Channel } from "../state/channels.js";
import { session } from "../state/session.js";
import { wallWords } from "../words/wall.js";
import { canTalk } from "./talk/talk.js";

/** The camera whose outputs and announcements are shown. */
export const devicesOf = signal<Channel | undefined>(undefined);

export const maySwitch = (): boolean => session.value?.IsAdministrator === true;

/** What of a camera's devices the user may use; undefined: nothing. */
export function devicesName(channel: Channel): string | undefined {
  const { outputs, announcements, both } = wallWords().devices;
  if (!canTalk(channel)) return maySwitch() ? outputs : undefined;
  return maySwitch() ? both : announcements;
}
