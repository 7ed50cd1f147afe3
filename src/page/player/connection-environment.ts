/** What a connection uses of a WebSocket. */
export interface SocketLike {
  send(text: string): void;
  close(): void;
}

export interface SocketListener {
  onOpen(): void;
  onText(text: string): void;
  onMedia(bytes: ArrayBuffer): void;
  onClose(): void;
}

/** What a connection uses of the browser; tests have their own. */
export interface ConnectionEnvironment {
  open(listener: SocketListener): SocketLike;
  /** The device's clock, Unix milliseconds. It jumps when the device slept. */
  nowMs(): number;
  /** Calls once, after some time; returns how to prevent it. */
  after(ms: number, call: () => void): () => void;
  /** 0 to 1. */
  random(): number;
  codecs(): readonly Codec[];
  /** The connection could not be made: somebody may have to log in. */
  onRefused(): void;
  /** The service's clock, Unix milliseconds, received between two moments of the device's. */
  onServiceTime(serviceMs: number, askedMs: number, answeredMs: number): void;
}

export type Codec = "avc1" | "hvc1" | "mp4a" | "flac";

/** What is asked of `MediaSource.isTypeSupported` for each family. */
export const CODEC_TYPES: Readonly<Record<Codec, string>> = {
  avc1: 'video/mp4; codecs="avc1.640028"',
  hvc1: 'video/mp4; codecs="hvc1.1.6.L120.90"',
  mp4a: 'video/mp4; codecs="avc1.640028,mp4a.40.2"',
  flac: 'video/mp4; codecs="avc1.640028,flac"',
};
