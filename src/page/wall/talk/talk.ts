import { signal } from "@preact/signals";
import { say } from "../../control/notice.js";
import { type Channel, rights } from "../../state/channels.js";
import { commonWords } from "../../words/common.js";
import { wallWords } from "../../words/wall.js";

/** The camera that this page speaks to, and whether it listens already. */
export const talking = signal<{ readonly channel: string; readonly isHeard: boolean } | undefined>(undefined);

export function canTalk(channel: Channel | undefined): channel is Channel {
  return rights.value.CanTransmitSound && channel?.IsTransmitSoundOn === true;
}

/** Speaks to the camera until whatever is pressed is let go, or the page is left. What it takes is loaded with the first word. */
export async function hold({ Id: channel }: Channel): Promise<void> {
  if (talking.value !== undefined) return;
  const words = wallWords().talk;
  if (!window.isSecureContext) return say(words.needsHttps, true);
  const released = new AbortController();
  const release = (): void => released.abort();
  for (const name of ["pointerup", "pointercancel", "keyup", "blur", "pagehide"])
    window.addEventListener(name, release, released);
  talking.value = { channel, isHeard: false };
  try {
    const { speak } = await import("./speak.js");
    const wasHeard = await speak(
      channel,
      released.signal,
      () => (talking.value = { channel, isHeard: true }),
    );
    if (!wasHeard) say(words.hold);
  } catch (error) {
    if (error instanceof DOMException) say(words.noMicrophone, true);
    else say((error as Error).message || commonWords().offline, true);
  } finally {
    release();
    talking.value = undefined;
  }
}
