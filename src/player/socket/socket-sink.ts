/** The connection of one client of the live socket. */
export interface SocketSink {
  /** Bytes that wait for the client; 0 once it has gone. */
  readonly waitingBytes: number;
  /** Bytes of all messages so far, those that wait too. */
  readonly sentBytes: number;
  /** Sends a message: text, or bytes that are copied where they cannot be sent at once. Does nothing once it is closed. */
  send(message: string | Uint8Array): void;
  /** Asks for an answer with the same text. */
  ping(text: string): void;
}
