/** The part of rtsp-stream 1.0.0 that nvrd uses; the package carries no types. */
declare module "rtsp-stream" {
  type Headers = Readonly<Record<string, string | readonly string[]>>;

  interface OutgoingRequest {
    /** Writes request line and headers to the encoder at once. */
    writeHead(): void;
  }

  interface OutgoingResponse {
    /** Writes status line and headers to the encoder at once. */
    writeHead(status: number, phrase: string, headers: Headers): void;
    /** Writes a part of the body to the encoder at once. */
    write(bytes: Buffer): boolean;
  }

  class Encoder {
    request(options: {
      readonly method: string;
      readonly uri: string;
      readonly headers: Headers;
    }): OutgoingRequest;
    response(): OutgoingResponse;
    /** All bytes written so far; null if none. */
    read(): Buffer | null;
  }

  /** Reason phrases, by status. */
  const STATUS_CODES: Readonly<Record<string, string>>;
}
