/** The part of rtsp-stream 1.0.0 that nvrd uses; the package carries no types. */
declare module "rtsp-stream" {
  interface OutgoingRequest {
    /** Writes request line and headers to the encoder at once. */
    writeHead(): void;
  }

  class Encoder {
    request(options: {
      readonly method: string;
      readonly uri: string;
      readonly headers: Readonly<Record<string, string | readonly string[]>>;
    }): OutgoingRequest;
    /** What has been written so far; null when nothing. */
    read(): Buffer | null;
  }

  class IncomingMessage {
    /** Throws Error on a start line it does not know. */
    constructor(head: Buffer | string);
    /** Of a request. */
    readonly method?: string;
    readonly uri?: string;
    readonly rtspVersion: string;
    /** Of a response. */
    readonly statusCode?: number;
    readonly statusMessage?: string;
    readonly headers: Readonly<Record<string, unknown>>;
  }

  /** Reason phrases, by status. */
  const STATUS_CODES: Readonly<Record<string, string>>;
}
