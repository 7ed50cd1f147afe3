import { reasonPhrase } from "./server-request.js";

export interface ServerResponse {
  readonly status: number;
  /** Names as they are written; a list is written as one header each. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

/** The bytes of a response (RFC 2326, 7). Line ends within a value become blanks: nobody injects a header. */
export function responseBytes(response: ServerResponse, cseq: string | undefined, server: string): Buffer {
  const lines = [`RTSP/1.0 ${response.status} ${reasonPhrase(response.status)}`];
  if (cseq !== undefined) lines.push(headerLine("CSeq", cseq));
  lines.push(headerLine("Server", server));
  for (const [name, value] of Object.entries(response.headers ?? {})) {
    for (const one of typeof value === "string" ? [value] : value) lines.push(headerLine(name, one));
  }
  const body = Buffer.from(response.body ?? "");
  if (body.length > 0) lines.push(`Content-Length: ${body.length}`);
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), body]);
}

function headerLine(name: string, value: string): string {
  return `${name}: ${value.replace(/[\r\n\0]/g, " ")}`;
}
