import { type Credentials, hasRight, type Principal } from "../../access/index.js";
import { type Guid, NvrdError } from "../../base/index.js";
import type { Speaker, Speech } from "../../camera/index.js";
import { shown } from "../../http/index.js";
import { visibleCameras } from "../../player/index.js";
import type { OpenStreams, RouteRight, StatusTexts } from "../../route/index.js";
import type { Camera, SiteStore } from "../../site/index.js";

/** The right of all who speak. */
export const TALK_RIGHTS: readonly RouteRight[] = [{ right: "CanTransmitSound" }];

/** What may be answered instead of a speech. */
export const TALK_ERRORS: StatusTexts = {
  404: "There is no such channel.",
  409: "Somebody speaks to the channel already; the text names the user. Or `SoundTransmittingEnabled` of the camera is off.",
  429: "32 cameras are spoken to already.",
  501: "The camera takes no sound.",
  503: "The camera does not answer, or refuses; the text says why.",
};

/** Throws NvrdError NOT_FOUND if this user sees no such channel. */
export function talkCamera(
  site: SiteStore,
  principal: Principal,
  text: string,
  id: Guid | undefined,
): Camera {
  const camera = visibleCameras(site.current, principal).find((candidate) => candidate.id === id);
  if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${shown(text)}`);
  return camera;
}

export function speakerOf({ user }: Principal): Speaker {
  return { type: 1, id: user.id, name: user.name };
}

export interface SpeechWanted {
  readonly credentials: Credentials;
  readonly channelId: Guid;
  /** Aborted when the speaker goes. */
  readonly signal: AbortSignal;
  /** Asks the camera to listen; `signal` is aborted when the speaker goes, and when he may no longer speak. */
  readonly begin: (signal: AbortSignal) => Promise<Speech>;
}

/** A speech that ends when its user may no longer speak. */
export interface AllowedSpeech {
  readonly speech: Speech;
  /** Stops looking. */
  readonly forget: () => void;
}

/**
 * Begins a speech, and ends it as soon as its user may no longer speak: also while the camera is still asked. Rejects as `begin` does, with FORBIDDEN, and with NOT_AVAILABLE where too many streams are open.
 */
export async function speakWhileAllowed(
  openStreams: OpenStreams,
  { credentials, channelId, signal, begin }: SpeechWanted,
): Promise<AllowedSpeech> {
  const asked = new AbortController();
  let refusal: NvrdError | undefined;
  let speech: Speech | undefined;
  const forget = openStreams.add({
    credentials,
    mayContinue: (present) => present.maySee(channelId) && hasRight(present, "CanTransmitSound"),
    end: () => {
      refusal = new NvrdError("FORBIDDEN", "you may no longer speak to this channel");
      if (speech === undefined) asked.abort();
      else speech.end(refusal);
    },
  });
  try {
    speech = await begin(AbortSignal.any([signal, asked.signal]));
    return { speech, forget };
  } catch (error) {
    forget();
    throw refusal ?? error;
  }
}
