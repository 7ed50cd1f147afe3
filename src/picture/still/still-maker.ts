import { freeMemory, NvrdError } from "../../base/index.js";
import { Codec as CodecId } from "../../live/index.js";
import { CodecError, type CodecErrorKind } from "../codec/codec-error.js";
import type { Codec, Picture, PicturePart, PictureTarget } from "../codec/codec-types.js";
import type { StillCache } from "./still-cache.js";
import {
  type CutPicture,
  type GrayPlane,
  type JpegPicture,
  type SpriteCells,
  StillJpegs,
} from "./still-jpeg.js";
import {
  type CodedRun,
  type Still,
  type StillMaterial,
  type StillSize,
  stillFrameText,
  stillSizeText,
} from "./still-types.js";

/** Retry-After if there is no memory for a picture. */
const MEMORY_RETRY_MS = 5000;

/** Errors for which a second try with only the key frame is useless. */
const FINAL_KINDS: ReadonlySet<CodecErrorKind> = new Set(["unsupported", "memory"]);

/** A picture, and its presentation time if that differs from the requested one. */
type MadePicture = JpegPicture & { readonly shownUs?: number };

/** Makes stills from their material, caches them, and shares equal work in progress. */
export class StillMaker {
  readonly #codec: Codec;
  readonly #cache: StillCache;
  readonly #jpegs = new StillJpegs();
  readonly #making = new Map<string, Promise<readonly Still[]>>();

  constructor(options: { readonly codec: Codec; readonly cache: StillCache }) {
    this.#codec = options.codec;
    this.#cache = options.cache;
  }

  /**
   * The stills of a frame in each size, in order. Requests for different times that have the same frame share the work
   * here. Rejects with NvrdError NOT_AVAILABLE if it cannot be decoded, or the codec is busy.
   */
  async make(material: StillMaterial, sizes: readonly StillSize[]): Promise<readonly Still[]> {
    const key = `${stillFrameText(material.frame)} ${sizes.map(stillSizeText).join(" ")}`;
    const making = this.#making.get(key);
    if (making !== undefined) return await making;
    const made = this.#makeAll(material, sizes);
    this.#making.set(key, made);
    try {
      return await made;
    } finally {
      this.#making.delete(key);
    }
  }

  /** The frame as a small grey picture, which is not cached. Rejects as `make`. */
  async gray(material: StillMaterial, width: number): Promise<GrayPlane> {
    if (material.kind === "jpeg") return await this.#jpegs.gray(material.bytes, width);
    if (material.format.codec === CodecId.MJPEG)
      return await this.#jpegs.gray(Buffer.concat(material.units.at(-1)?.bytes ?? []), width);
    const [picture] = await this.#decode(material, [
      { form: "gray", width, rotation: material.frame.rotation },
    ]);
    if (picture === undefined) throw new Error("the codec made no picture");
    return picture;
  }

  /** See `StillJpegs.cut`. */
  cut(jpeg: Uint8Array, part: PicturePart, sideMax: number): Promise<CutPicture> {
    return this.#jpegs.cut(jpeg, part, sideMax);
  }

  /** See `StillJpegs.sprite`. */
  sprite(stills: readonly (Still | undefined)[], cells: SpriteCells): Promise<Uint8Array> {
    return this.#jpegs.sprite(
      stills.map((still) => still?.jpeg),
      cells,
    );
  }

  async #makeAll(material: StillMaterial, sizes: readonly StillSize[]): Promise<readonly Still[]> {
    const frame = stillFrameText(material.frame);
    const kept = sizes.map((size) => this.#cache.take(`${frame} ${stillSizeText(size)}`));
    const missing = sizes.filter((_, index) => kept[index] === undefined);
    if (missing.length === 0) return kept.filter((still) => still !== undefined);
    const pictures = await this.#pictures(material, missing);
    const made = new Map<StillSize, Still>();
    for (const [index, size] of missing.entries()) {
      const picture = pictures[index];
      if (picture === undefined) throw new Error("the codec made fewer pictures than requested");
      const still = stillOf(material, picture);
      this.#cache.set(`${frame} ${stillSizeText(size)}`, still);
      made.set(size, still);
    }
    return sizes.map((size, index) => {
      const still = kept[index] ?? made.get(size);
      if (still === undefined) throw new Error("a size was not made");
      return still;
    });
  }

  #pictures(material: StillMaterial, sizes: readonly StillSize[]): Promise<readonly MadePicture[]> {
    const { rotation } = material.frame;
    if (material.kind === "jpeg")
      return this.#jpegs.resize(material.bytes, { sizes, rotation, mayBeDamaged: false });
    if (material.format.codec === CodecId.MJPEG) {
      const bytes = Buffer.concat(material.units.at(-1)?.bytes ?? []);
      return this.#jpegs.resize(bytes, { sizes, rotation, mayBeDamaged: true });
    }
    return this.#decoded(material, sizes);
  }

  async #decoded(run: CodedRun, sizes: readonly StillSize[]): Promise<readonly MadePicture[]> {
    const targets = sizes.map((size) => targetOf(size, run.frame.rotation));
    const pictures = await this.#decode(run, targets);
    return await Promise.all(pictures.map((picture) => this.#encoded(picture)));
  }

  /** The decoded picture is freed then: it has some megabytes, which V8 would keep for minutes. */
  async #encoded(picture: Picture): Promise<MadePicture> {
    try {
      return { ...(await this.#jpegs.encode(picture)), shownUs: picture.timeUs };
    } finally {
      freeMemory?.(picture.data);
    }
  }

  /** If a GOP cannot be decoded up to the requested frame, its key frame is used. */
  async #decode(run: CodedRun, targets: readonly PictureTarget[]): Promise<readonly Picture[]> {
    const { format, units } = run;
    try {
      return await this.#codec.decodeStill({ format, units, targets });
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      if (units.length === 1 || FINAL_KINDS.has(error.kind)) throw undecodable(error);
    }
    try {
      return await this.#codec.decodeStill({ format, units: units.slice(0, 1), targets });
    } catch (error) {
      throw error instanceof CodecError ? undecodable(error) : error;
    }
  }
}

/** The codec's message is for the log, and is kept as the cause. */
function undecodable(cause: CodecError): NvrdError {
  if (cause.kind === "unsupported")
    return new NvrdError("NOT_SUPPORTED", "this machine has no decoder for the stream", { cause, hint: "" });
  if (cause.kind === "memory")
    return new NvrdError("NOT_AVAILABLE", "the memory for decoded pictures is used up", {
      cause,
      retryAfterMs: MEMORY_RETRY_MS,
    });
  return new NvrdError("NOT_AVAILABLE", `the frame cannot be decoded (${cause.kind})`, {
    cause,
    hint: "request another time",
  });
}

function targetOf(size: StillSize, rotation: CodedRun["frame"]["rotation"]): PictureTarget {
  return { form: "rgb", ...size, rotation };
}

function stillOf({ frame, shownUs: wantedUs }: StillMaterial, picture: MadePicture): Still {
  const { jpeg, width, height, shownUs = wantedUs } = picture;
  const tag = `${frame.timeUs.toString(36)}-${frame.rotation}-${width}x${height}`;
  return { jpeg, width, height, shownUs, tag };
}
