import type { Clock, Log } from "../../base/index.js";
import { SNAPSHOT_BYTES_MAX } from "../../compat/index.js";
import {
  askCodecVersion,
  childProbe,
  Hardware,
  LateCodec,
  RUN_BYTES_MAX,
  STILLS_AT_ONCE_MAX,
  STILLS_PREPARING_MAX,
  STILLS_WAITING_MAX,
  Stills,
  Transcoding,
} from "../../picture/index.js";
import type { Settings } from "../../settings/index.js";
import { codecFrameBytes, countWithin, type MemoryShares } from "./memory-shares.js";

export interface PictureServiceOptions {
  readonly settings: Pick<Settings, "codecHardware" | "stillCacheBytes">;
  readonly shares: Pick<MemoryShares, "pictures" | "stills" | "snapshots" | "stillCache">;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The native codec with its hardware detection, and everything that uses it. Without the codec addon the service still records
 * and serves streams.
 */
export class PictureService {
  /** The codec of the process; stills, transcodes, sound and motion detection share its threads. */
  readonly codec: LateCodec;
  readonly stills: Stills;
  readonly transcoding: Transcoding;
  readonly #hardware: Hardware | undefined;

  constructor({ settings, shares, clock, log }: PictureServiceOptions) {
    const hardware =
      settings.codecHardware === "off" ? undefined : new Hardware({ probe: childProbe(clock), log });
    const codec = new LateCodec({
      ...{ clock, log, askVersion: askCodecVersion },
      frameBytesMax: codecFrameBytes(shares),
      ...(hardware === undefined ? {} : { hardware }),
    });
    this.codec = codec;
    this.#hardware = hardware;
    this.stills = new Stills({
      codec,
      cacheBytesMax: Math.min(settings.stillCacheBytes, shares.stillCache),
      bounds: {
        atOnce: countWithin(shares.stills, RUN_BYTES_MAX, STILLS_AT_ONCE_MAX),
        waiting: STILLS_WAITING_MAX,
        preparing: countWithin(shares.snapshots, SNAPSHOT_BYTES_MAX, STILLS_PREPARING_MAX),
      },
      clock,
      log,
    });
    this.transcoding = new Transcoding({ codec, clock, log });
  }

  /** Hardware is probed in the background; until then, and without hardware, software codecs are used. */
  start(): void {
    void this.#hardware?.start();
  }

  stop(): void {
    this.transcoding.stop();
    this.stills.stop();
    this.#hardware?.stop();
  }
}
