import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { keptFolder } from "../../base/kept-folder.js";
import { splitNalUnits } from "../../media/nal-units.js";
import { isParameterSet, type ZooCodec } from "./codecs.js";

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const MAKERS = [fileURLToPath(import.meta.url), "/usr/bin/ffmpeg", "/usr/bin/ffprobe"];
/** Pictures of a second of camera time. */
export const PICTURES_A_SECOND = 10;
const SHORT = 300;
const LONG = 1000;

interface ClipSpec {
  readonly codec: ZooCodec;
  readonly pictures: number;
  /** Encoder flags of ffmpeg. */
  readonly flags: string;
  /** Pixel format; yuv420p when absent. */
  readonly pixels?: string;
  readonly size?: string;
  /** The size of the second half of the pictures, if it is another one. */
  readonly thenSize?: string;
}

const X264 = "-c:v libx264 -preset ultrafast -tune zerolatency";
const X265 = "-c:v libx265 -preset ultrafast";
const COMMON = "log-level=error:pools=none:frame-threads=1:scenecut=0:repeat-headers=1";

/** What the cameras of the zoo encode: ffmpeg's moving test picture, 10 a second. */
export const CLIPS = {
  h264: { codec: "h264", pictures: SHORT, flags: `${X264} -g 20 -x264-params scenecut=0:repeat-headers=1` },
  h264Gop5: {
    codec: "h264",
    pictures: SHORT,
    flags: `${X264} -g 50 -x264-params scenecut=0:repeat-headers=1`,
  },
  h264Slices: {
    codec: "h264",
    pictures: SHORT,
    flags: `${X264} -g 20 -x264-params scenecut=0:repeat-headers=1:slices=4:sliced-threads=0`,
  },
  h264B: {
    codec: "h264",
    pictures: SHORT,
    flags: "-c:v libx264 -preset veryfast -g 20 -bf 2 -x264-params scenecut=0:repeat-headers=1:open-gop=0",
  },
  h264OpenGop: {
    codec: "h264",
    pictures: SHORT,
    flags: "-c:v libx264 -preset veryfast -g 20 -bf 2 -x264-params scenecut=0:repeat-headers=1:open-gop=1",
  },
  h264Refresh: {
    codec: "h264",
    pictures: SHORT,
    flags: `${X264} -g 20 -x264-params scenecut=0:repeat-headers=1:intra-refresh=1`,
  },
  h264Long: {
    codec: "h264",
    pictures: LONG,
    flags: `${X264} -g 650 -x264-params scenecut=0:repeat-headers=1:keyint-min=650`,
  },
  h264Fields: {
    codec: "h264",
    pictures: SHORT,
    flags:
      "-c:v libx264 -preset ultrafast -bf 0 -flags +ilme+ildct -g 20 -x264-params scenecut=0:repeat-headers=1:tff=1",
  },
  h264Sizes: {
    codec: "h264",
    pictures: SHORT,
    flags: `${X264} -g 20 -x264-params scenecut=0:repeat-headers=1`,
    thenSize: "192x96",
  },
  h265Sizes: {
    codec: "h265",
    pictures: SHORT,
    flags: `${X265} -x265-params ${COMMON}:keyint=20:bframes=0:open-gop=0`,
    thenSize: "192x96",
  },
  h265: {
    codec: "h265",
    pictures: SHORT,
    flags: `${X265} -x265-params ${COMMON}:keyint=20:bframes=0:open-gop=0`,
  },
  h265Slices: {
    codec: "h265",
    pictures: SHORT,
    flags: `${X265} -x265-params ${COMMON.replace("none", "2")}:ctu=16:keyint=20:bframes=0:open-gop=0:slices=3`,
    size: "192x256",
  },
  h265B: {
    codec: "h265",
    pictures: SHORT,
    flags: `${X265} -x265-params ${COMMON}:keyint=20:bframes=2:open-gop=0`,
  },
  h265Cra: {
    codec: "h265",
    pictures: SHORT,
    flags: `${X265} -x265-params ${COMMON}:keyint=20:bframes=2:open-gop=1`,
  },
  h265Layers: {
    codec: "h265",
    pictures: SHORT,
    flags: `${X265} -x265-params ${COMMON}:keyint=20:bframes=3:b-pyramid=1:temporal-layers=3:open-gop=0`,
  },
  h265Refresh: {
    codec: "h265",
    pictures: SHORT,
    flags: `${X265} -x265-params ${COMMON}:keyint=20:bframes=0:intra-refresh=1`,
  },
  h265Long: {
    codec: "h265",
    pictures: LONG,
    flags: `${X265} -x265-params ${COMMON}:keyint=650:min-keyint=650:bframes=0:open-gop=0`,
  },
  h265Ten: {
    codec: "h265",
    pictures: SHORT,
    flags: `${X265} -x265-params ${COMMON}:keyint=20:bframes=0:open-gop=0`,
    pixels: "yuv422p10le",
  },
  mpeg4: { codec: "mpeg4", pictures: SHORT, flags: "-c:v mpeg4 -q:v 8 -bf 0 -g 20" },
  mjpeg: { codec: "mjpeg", pictures: SHORT, flags: "-c:v mjpeg -q:v 8 -huffman default", pixels: "yuvj420p" },
} as const satisfies Record<string, ClipSpec>;

export type ClipName = keyof typeof CLIPS;

/** One picture as the encoder made it. */
export interface ClipPicture {
  /** NAL units without start codes; of MPEG-4 and JPEG the whole picture, as one. */
  readonly units: readonly Buffer[];
  readonly key: boolean;
  /** Its place in the order of showing, less its place in the order of decoding. */
  readonly shownLater: number;
  /** Pictures since the last key frame. */
  readonly inGop: number;
  /** Key frames before it, itself included. */
  readonly gop: number;
}

export interface Clip {
  readonly name: ClipName;
  readonly codec: ZooCodec;
  readonly pictures: readonly ClipPicture[];
  /** Of all its pictures; 0 where none is shown later than it is sent. */
  readonly shownLaterMax: number;
  /** Its parameter sets, once each. */
  readonly sets: readonly Buffer[];
  readonly width: number;
  readonly height: number;
}

const FORMATS: Record<ZooCodec, string> = { h264: "h264", h265: "hevc", mpeg4: "m4v", mjpeg: "mjpeg" };
const loaded = new Map<ClipName, Promise<Clip>>();

/** The clip, encoded once for all runs of the tests. */
export function zooClip(name: ClipName): Promise<Clip> {
  const clip = loaded.get(name) ?? load(name);
  loaded.set(name, clip);
  return clip;
}

interface KeptPicture {
  readonly bytes: number;
  readonly key: boolean;
  readonly shown: number;
}

async function load(name: ClipName): Promise<Clip> {
  const spec: ClipSpec = CLIPS[name];
  const folder = await keptFolder({ zoo: spec }, MAKERS, (made) => encode(made, spec));
  const raw = await readFile(join(folder, "clip.raw"));
  const kept: KeptPicture[] = JSON.parse(await readFile(join(folder, "pictures.json"), "utf8"));
  const [width = 0, height = 0] = sizeOf(spec).split("x").map(Number);
  let at = 0;
  let inGop = -1;
  let gop = 0;
  const pictures = kept.map(({ bytes, key, shown }, index) => {
    const picture = raw.subarray(at, at + bytes);
    at += bytes;
    inGop = key ? 0 : inGop + 1;
    if (key) gop += 1;
    const isNal = spec.codec === "h264" || spec.codec === "h265";
    return { units: isNal ? splitNalUnits(picture) : [picture], key, shownLater: shown - index, inGop, gop };
  });
  const sets = (pictures[0]?.units ?? []).filter((unit) => isParameterSet(spec.codec, unit));
  const shownLaterMax = Math.max(...pictures.map(({ shownLater }) => shownLater));
  return { name, codec: spec.codec, pictures, shownLaterMax, sets, width, height };
}

function sizeOf(spec: ClipSpec): string {
  return spec.size ?? "160x128";
}

async function encode(folder: string, spec: ClipSpec): Promise<void> {
  const sizes = [sizeOf(spec), ...(spec.thenSize === undefined ? [] : [spec.thenSize])];
  const kept: KeptPicture[] = [];
  const bytes: Buffer[] = [];
  for (const size of sizes) {
    const part = { ...spec, size, pictures: spec.pictures / sizes.length };
    const before = kept.length;
    for (const picture of await encodePart(folder, part))
      kept.push({ ...picture, shown: picture.shown + before });
    bytes.push(await readFile(join(folder, "clip.raw")));
  }
  await writeFile(join(folder, "clip.raw"), Buffer.concat(bytes));
  await writeFile(join(folder, "pictures.json"), JSON.stringify(kept));
}

async function encodePart(folder: string, spec: ClipSpec): Promise<KeptPicture[]> {
  const container = join(folder, "clip.nut");
  const raw = join(folder, "clip.raw");
  const source = `testsrc2=size=${sizeOf(spec)}:rate=${PICTURES_A_SECOND}`;
  const quiet = ["-nostdin", "-v", "error", "-y", "-threads", "1"];
  const input = ["-f", "lavfi", "-i", source, "-frames:v", `${spec.pictures}`];
  const encoder = [...spec.flags.split(" "), "-pix_fmt", spec.pixels ?? "yuv420p", "-threads", "1"];
  await run("ffmpeg", [...quiet, ...input, ...encoder, container]);
  // MPEG-4's headers are kept apart by the container; cameras send them in front of each key frame.
  const headers = spec.codec === "mpeg4" ? ["-bsf:v", "dump_extra=freq=keyframe"] : [];
  await run("ffmpeg", [...quiet, "-i", container, "-c", "copy", ...headers, "-f", FORMATS[spec.codec], raw]);
  const sizes = await probe(raw, ["-f", FORMATS[spec.codec]]);
  const shown = await probe(container, []);
  const order = shown.map((packet) => packet.pts).sort((one, other) => one - other);
  return sizes.map(({ bytes }, index) => ({
    bytes,
    key: shown[index]?.key === true,
    shown: order.indexOf(shown[index]?.pts ?? 0),
  }));
}

async function probe(file: string, format: readonly string[]) {
  const entries = "packet=size,pts,flags";
  const args = [
    "-v",
    "error",
    ...format,
    "-select_streams",
    "v",
    "-show_entries",
    entries,
    "-of",
    "json",
    file,
  ];
  const { stdout } = await run("ffprobe", args, { maxBuffer: OUTPUT_BYTES_MAX });
  const { packets } = JSON.parse(stdout) as { packets: { size: string; pts?: number; flags: string }[] };
  return packets.map(({ size, pts, flags }) => ({
    bytes: Number(size),
    key: flags.startsWith("K"),
    pts: pts ?? 0,
  }));
}
