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
 * Protocols for requesting a stream's address, best first: RTP over RTSP, then the alternative, then RTSP through HTTP, which is all
 * that some devices offer (Media2, 5.1.1; Media, 5.3.10). Most devices return the same address; some support only one of the names.
 */
const PROTOCOLS = { media: ["RTSP", "UDP"], media2: ["RTSP", "RtspUnicast"] } as const;
const SECURE_PROTOCOLS = { media: [], media2: ["RTSPS", "RtspsUnicast"] } as const;
const TUNNEL_PROTOCOLS = { media: "HTTP", media2: "RtspOverHttp" } as const;

export interface StreamUri {
  /** As returned by the device; empty if none. */
  readonly uri: string;
  /** It is for RTSP through HTTP. */
  readonly isTunnel: boolean;
}

/** The stream's address. Rejects with CameraFailure. */
export async function askStreamUri(
  client: SoapClient,
  question: MediaQuestion & { readonly secure: boolean },
): Promise<StreamUri> {
  const { media, secure } = question;
  const { service } = media;
  const tunnel = TUNNEL_PROTOCOLS[service];
  const protocols = [...(secure ? SECURE_PROTOCOLS[service] : []), ...PROTOCOLS[service], tunnel];
  let failure: unknown;
  for (const protocol of protocols) {
    try {
      const response = await client.call({
        ...media,
        operation: "GetStreamUri",
        content: streamContent(question, protocol),
        signal: question.signal,
      });
      const uri = response.at("MediaUri", "Uri")?.rawText ?? response.child("Uri")?.rawText ?? "";
      return { uri, isTunnel: protocol === tunnel || /^\s*https?:/i.test(uri) };
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
