import "./devices.css";
import { Dialog } from "../control/dialog.js";
import type { Channel } from "../state/channels.js";
import { devicesOf, maySwitch } from "./devices.js";
import { Outputs } from "./outputs.js";
import { Announcements } from "./talk/announcements.js";
import { canTalk } from "./talk/talk.js";

/** A camera's outputs and loudspeaker, for who may use them. */
export function DevicesDialog({ channel }: { readonly channel: Channel }) {
  return (
    <Dialog title={channel.Name} onClose={() => (devicesOf.value = undefined)}>
      <div class="dialog-form">
        {canTalk(channel) && <Announcements channel={channel} />}
        {maySwitch(channel) && <Outputs channel={channel} />}
      </div>
    </Dialog>
  );
}
