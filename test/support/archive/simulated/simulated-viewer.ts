import type { Archive } from "../../../../src/archive/archive.js";
import type { ArchivedFrame, ArchiveReader } from "../../../../src/archive/segment/types.js";
import { NvrdError } from "../../../../src/base/value/errors.js";
import type { SimulatedClock } from "../../base/simulated-clock.js";
import type { ReadFrame } from "../archive-witness.js";
import type { SimulatedCamera } from "./simulated-camera.js";

/** How long a viewer waits before it asks again. */
const ASKS_AGAIN_MS = 1000;

export interface SimulatedViewerOptions {
  readonly archive: Archive;
  readonly clock: SimulatedClock;
  readonly camera: SimulatedCamera;
  readonly onFailure: (error: unknown) => void;
}

/**
 * A viewer at the live edge: what it is handed must be what the camera sent. Where the archive says that a volume does not answer,
 * it asks again a second later, as a client does.
 */
export class SimulatedViewer {
  readonly problems: string[] = [];
  readonly #options: SimulatedViewerOptions;
  #reader: ArchiveReader | undefined;
  #fromUs: number;
  #isClosed = false;

  constructor(options: SimulatedViewerOptions) {
    this.#options = options;
    this.#fromUs = options.clock.nowUs();
    this.#watch().catch(options.onFailure);
  }

  close(): void {
    this.#isClosed = true;
    this.#reader?.close();
  }

  async #watch(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#isClosed) {
      try {
        await this.#play();
      } catch (error) {
        if (!(error instanceof NvrdError && error.code === "NOT_AVAILABLE")) throw error;
        await new Promise<void>((resolve) => clock.setTimeout(resolve, ASKS_AGAIN_MS));
      }
    }
  }

  async #play(): Promise<void> {
    const { archive, camera } = this.#options;
    const reader = archive.read(camera.key, { fromUs: this.#fromUs });
    this.#reader = reader;
    try {
      for (let some = await reader.next(); some.length > 0; some = await reader.next()) {
        this.problems.push(...neverSent(camera, some));
        this.#fromUs = some.at(-1)?.decodeTimeUs ?? this.#fromUs;
      }
    } finally {
      reader.close();
    }
  }
}

/** Collects what a reader hands out until it is closed. */
export function readInto(
  frames: ReadFrame[],
  reader: ArchiveReader,
  onFailure: (error: unknown) => void,
): ArchiveReader {
  const reading = async () => {
    for (let some = await reader.next(); some.length > 0; some = await reader.next())
      for (const { decodeTimeUs, codec, key, bytes } of some)
        frames.push({ decodeTimeUs, codec, key, bytes: Buffer.from(bytes) });
  };
  reading().catch(onFailure);
  return reader;
}

function neverSent(camera: SimulatedCamera, frames: readonly ArchivedFrame[]): string[] {
  return frames
    .filter(({ decodeTimeUs, bytes }) => {
      return !camera.sent.some((sent) => sent.decodeTimeUs === decodeTimeUs && sent.bytes.equals(bytes));
    })
    .map(({ decodeTimeUs }) => `a viewer was handed a frame at ${decodeTimeUs} that was never sent`);
}
