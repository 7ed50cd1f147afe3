import type { SoapClient } from "./soap-client.js";
import { escapeXml } from "./soap-envelope.js";

/** Which of the media services told of a profile, and where it is. */
export interface MediaService {
  readonly service: "media" | "media2";
  readonly address: string;
}

export interface MediaQuestion {
  readonly media: MediaService;
  readonly token: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Protocols to ask a stream's address by, best first: RTP within RTSP, then whatever the device has (Media2, 5.1.1;
 * Media, 5.3.10). The address is the same with most devices; some know only one of the words.
 */
const PROTOCOLS = { media: ["RTSP", "UDP"], media2: ["RTSP", "RtspUnicast"] } as const;

/** The stream's address as the device writes it; empty when it gives none. Rejects with CameraFailure. */
export async function askStreamUri(
  client: SoapClient,
  question: MediaQuestion & { readonly secure: boolean },
): Promise<string> {
  const { media, secure } = question;
  const protocols = [...(secure && media.service === "media2" ? ["RTSPS"] : []), ...PROTOCOLS[media.service]];
  let failure: unknown;
  for (const protocol of protocols) {
    try {
      const response = await client.call({
        ...media,
        operation: "GetStreamUri",
        content: streamContent(question, protocol),
        signal: question.signal,
      });
      return response.at("MediaUri", "Uri")?.rawText ?? response.child("Uri")?.rawText ?? "";
    } catch (error) {
      if (client.refusal !== undefined || question.signal?.aborted === true) throw error;
      failure ??= error;
    }
  }
  throw failure;
}

function streamContent({ media, token }: MediaQuestion, protocol: string): string {
  const profile = `<m:ProfileToken>${escapeXml(token)}</m:ProfileToken>`;
  if (media.service === "media2") return `<m:Protocol>${protocol}</m:Protocol>${profile}`;
  const transport = `<tt:Transport><tt:Protocol>${protocol}</tt:Protocol></tt:Transport>`;
  return `<m:StreamSetup><tt:Stream>RTP-Unicast</tt:Stream>${transport}</m:StreamSetup>${profile}`;
}

/** The snapshot's address as the device writes it; empty when it gives none. Rejects with CameraFailure. */
export async function askSnapshotUri(client: SoapClient, question: MediaQuestion): Promise<string> {
  const response = await client.call({
    ...question.media,
    operation: "GetSnapshotUri",
    content: `<m:ProfileToken>${escapeXml(question.token)}</m:ProfileToken>`,
    signal: question.signal,
  });
  return response.at("MediaUri", "Uri")?.rawText ?? response.child("Uri")?.rawText ?? "";
}
