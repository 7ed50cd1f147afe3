import { signal } from "@preact/signals";
import { Dialog } from "../control/dialog.js";
import type { Channel } from "../state/channels.js";
import { session } from "../state/session.js";
import { wallWords } from "../words/wall.js";
import { Outputs } from "./outputs.js";
import { Announcements } from "./talk/announcements.js";
import { canTalk } from "./talk/talk.js";

/** The camera whose outputs and announcements are shown. */
export const devicesOf = signal<Channel | undefined>(undefined);

const maySwitch = (): boolean => session.value?.IsAdministrator === true;

/** What of a camera's devices the user may use; undefined: nothing. */
export function devicesName(channel: Channel): string | undefined {
  const { outputs, announcements, both } = wallWords().devices;
  if (!canTalk(channel)) return maySwitch() ? outputs : undefined;
  return maySwitch() ? both : announcements;
}

/** A camera's outputs and loudspeaker, for who may use them. */
export function DevicesDialog() {
  const channel = devicesOf.value;
  if (channel === undefined) return null;
  return (
    <Dialog title={channel.Name} onClose={() => (devicesOf.value = undefined)}>
      <div class="dialog-form">
        {canTalk(channel) && <Announcements channel={channel} />}
        {maySwitch() && <Outputs channel={channel} />}
      </div>
    </Dialog>
  );
}
