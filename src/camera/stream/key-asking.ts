import { errorText, type Log, type StreamKey, streamKeyText } from "../../base/index.js";
import type { SiteStore } from "../../site/index.js";
import { profileOf } from "../device/profile-choice.js";
import { connectionOf } from "../device/stream-address.js";
import { type AskedDevices, withDevice } from "../device/with-device.js";
import type { MediaService } from "../onvif/media-addresses.js";
import type { SoapClient } from "../soap/soap-client.js";
import { escapeXml } from "../soap/soap-envelope.js";

/** How long an answer is waited for: a key frame that comes later is one that came by itself. */
export const KEY_ASKING_MS_MAX = 5000;

export interface KeyAskingOptions extends AskedDevices {
  readonly site: SiteStore;
  readonly log: Log;
}

/**
 * Asks ONVIF cameras for a key frame (SetSynchronizationPoint: Media, 5.14; Media2, 5.8). Whoever asks bounds how often; here one
 * question a stream is under way at a time.
 */
export class KeyAsking {
  readonly #options: KeyAskingOptions;
  readonly #asking = new Set<string>();

  constructor(options: KeyAskingOptions) {
    this.#options = options;
  }

  /** Never rejects: a camera that cannot is one that sends its next key frame when it does. */
  async ask(key: StreamKey): Promise<void> {
    const name = streamKeyText(key);
    if (this.#asking.has(name)) return;
    this.#asking.add(name);
    try {
      await this.#ask(key);
    } catch (error) {
      this.#options.log.debug(
        { stream: name, reason: errorText(error) },
        "the camera gave no key frame when asked",
      );
    } finally {
      this.#asking.delete(name);
    }
  }

  async #ask({ channelId, streamType }: StreamKey): Promise<void> {
    const camera = this.#options.site.current.cameras.find(({ id }) => id === channelId);
    if (camera === undefined || connectionOf(camera) !== "onvif") return;
    const signal = AbortSignal.timeout(KEY_ASKING_MS_MAX);
    const work = { camera, callTimeoutMs: KEY_ASKING_MS_MAX, signal };
    await withDevice(this.#options, work, async (client, { services, profiles }) => {
      const token = profileOf(camera, streamType, profiles)?.token;
      const media = mediaServices(services);
      if (token !== undefined) await setSynchronizationPoint(client, { media, token, signal });
    });
  }
}

function mediaServices({
  media,
  media2,
}: {
  readonly media?: string;
  readonly media2?: string;
}): MediaService[] {
  return [
    ...(media2 === undefined ? [] : [{ service: "media2", address: media2 } as const]),
    ...(media === undefined ? [] : [{ service: "media", address: media } as const]),
  ];
}

/** Each service in turn, as some devices have the operation in one of them alone. Rejects with CameraFailure. */
async function setSynchronizationPoint(
  client: SoapClient,
  question: { readonly media: readonly MediaService[]; readonly token: string; readonly signal: AbortSignal },
): Promise<void> {
  const { media, token, signal } = question;
  const content = `<m:ProfileToken>${escapeXml(token)}</m:ProfileToken>`;
  let failure: unknown;
  for (const service of media) {
    try {
      await client.call({ ...service, operation: "SetSynchronizationPoint", content, signal });
      return;
    } catch (error) {
      if (client.refusal !== undefined || signal.aborted) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
}
