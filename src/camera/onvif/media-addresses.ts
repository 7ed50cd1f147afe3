import type { SoapClient } from "../soap/soap-client.js";
import { escapeXml } from "../soap/soap-envelope.js";

/** The media service that listed a profile, and its address. */
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
 * Protocols for requesting a stream's address, best first: RTP over RTSP, then the alternative (Media2, 5.1.1; Media, 5.3.10).
 * Most devices return the same address; some support only one of the names.
 */
const PROTOCOLS = { media: ["RTSP", "UDP"], media2: ["RTSP", "RtspUnicast"] } as const;

/** The stream's address as returned by the device; empty if none. Rejects with CameraFailure. */
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

/** The snapshot's address as returned by the device; empty if none. Rejects with CameraFailure. */
export async function askSnapshotUri(client: SoapClient, question: MediaQuestion): Promise<string> {
  const response = await client.call({
    ...question.media,
    operation: "GetSnapshotUri",
    content: `<m:ProfileToken>${escapeXml(question.token)}</m:ProfileToken>`,
    signal: question.signal,
  });
  return response.at("MediaUri", "Uri")?.rawText ?? response.child("Uri")?.rawText ?? "";
}
