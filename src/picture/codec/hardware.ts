import { readdirSync } from "node:fs";
import type { Log } from "../../base/index.js";
import { Codec } from "../../live/index.js";

/** A hardware decoder or encoder, by its name in libavcodec. */
export interface HardwareCandidate {
  readonly kind: "decoder" | "encoder";
  readonly name: string;
  readonly codec: Codec;
  /** Prefix of its device names in /dev: it is not tried if there is none. */
  readonly device: string;
}

/**
 * Hardware of ARM boxes, for each codec the better one first: Rockchip's MPP (built into some vendors' libavcodec), and
 * V4L2 memory-to-memory (in Debian's).
 */
export const HARDWARE_CANDIDATES: readonly HardwareCandidate[] = [
  { kind: "decoder", name: "h264_rkmpp", codec: Codec.H264, device: "mpp_service" },
  { kind: "decoder", name: "hevc_rkmpp", codec: Codec.H265, device: "mpp_service" },
  { kind: "decoder", name: "h264_v4l2m2m", codec: Codec.H264, device: "video" },
  { kind: "decoder", name: "hevc_v4l2m2m", codec: Codec.H265, device: "video" },
  { kind: "encoder", name: "h264_rkmpp", codec: Codec.H264, device: "mpp_service" },
  { kind: "encoder", name: "h264_v4l2m2m", codec: Codec.H264, device: "video" },
];

/** Tries one candidate; resolves with why it cannot be used, or undefined if it works. Never rejects. */
export type HardwareProbe = (candidate: HardwareCandidate) => Promise<string | undefined>;

export interface HardwareOptions {
  readonly probe: HardwareProbe;
  readonly log: Log;
  /** HARDWARE_CANDIDATES by default. */
  readonly candidates?: readonly HardwareCandidate[];
  /** Names in /dev; read from there by default. */
  readonly devices?: readonly string[];
}

/** Which implementation the codec uses for a decoder or an encoder. */
export interface HardwareChoice {
  /** The decoder to use for a codec; undefined: libavcodec's own. */
  decoderFor(codec: Codec): string | undefined;
  /** The H.264 encoder to use; undefined: the software one. */
  readonly encoder: string | undefined;
  /** It failed in use: from now on software is used. */
  failed(kind: HardwareCandidate["kind"], name: string, reason: string): void;
}

/** The hardware of this machine that works: tried once at the start, and used until it fails. */
export class Hardware implements HardwareChoice {
  readonly #options: HardwareOptions;
  readonly #working: HardwareCandidate[] = [];
  #stopped = false;

  constructor(options: HardwareOptions) {
    this.#options = options;
  }

  /** Tries the candidates in order; the first that works for each kind and codec is used. Never rejects. */
  async start(): Promise<void> {
    const { probe, log, candidates = HARDWARE_CANDIDATES } = this.#options;
    const devices = this.#options.devices ?? deviceNames();
    for (const candidate of candidates) {
      const { kind, name, codec, device } = candidate;
      if (this.#stopped) return;
      if (!devices.some((found) => found.startsWith(device)) || this.#find(kind, codec) !== undefined)
        continue;
      const reason = await probe(candidate);
      if (reason === undefined) this.#working.push(candidate);
      const { used, unused } = HARDWARE_MESSAGES[kind];
      if (reason === undefined) log.info({ name }, used);
      else log.info({ name, reason }, unused);
    }
  }

  /** Tries no further candidate. */
  stop(): void {
    this.#stopped = true;
  }

  decoderFor(codec: Codec): string | undefined {
    return this.#find("decoder", codec)?.name;
  }

  get encoder(): string | undefined {
    return this.#find("encoder", Codec.H264)?.name;
  }

  failed(kind: HardwareCandidate["kind"], name: string, reason: string): void {
    const index = this.#working.findIndex((candidate) => candidate.kind === kind && candidate.name === name);
    if (index < 0) return;
    this.#working.splice(index, 1);
    this.#options.log.warn({ name, reason }, HARDWARE_MESSAGES[kind].failed);
  }

  #find(kind: HardwareCandidate["kind"], codec: Codec): HardwareCandidate | undefined {
    return this.#working.find((candidate) => candidate.kind === kind && candidate.codec === codec);
  }
}

const HARDWARE_MESSAGES = {
  decoder: {
    used: "a hardware decoder decodes the test clip correctly: it is used",
    unused: "a hardware decoder is not used",
    failed: "a hardware decoder failed: software decodes from now on",
  },
  encoder: {
    used: "a hardware encoder encodes the test clip correctly: it is used",
    unused: "a hardware encoder is not used",
    failed: "a hardware encoder failed: software encodes from now on",
  },
} as const;

function deviceNames(): readonly string[] {
  try {
    return readdirSync("/dev");
  } catch {
    return []; // a sandbox without /dev has no hardware to offer
  }
}
