/**
 * Seeds of the fuzz targets: for those of native/codec/fuzz small clips that ffmpeg encodes, in the layout of
 * native/codec/fuzz/input.h; for native/fuzz/fragments.cc some packets.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const HEAD_BYTES = 16;
const MARK = Buffer.from([0xfe, 0x75, 0x6e, 0x74]);
const KEY = 1;
const REORDERED = 2;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const STEP_SECONDS = 0.04;

/** Video: the number of src/live/codec/codec.ts, ffmpeg's arguments. Sizes are odd where the codec allows that. */
const VIDEO = [
  { name: "h264", codec: 1, args: ["-c:v", "libx264", "-g", "4", "-bf", "0"] },
  { name: "h264-b", codec: 1, args: ["-c:v", "libx264", "-g", "6", "-bf", "2", "-profile:v", "high"] },
  { name: "h264-fields", codec: 1, args: ["-c:v", "libx264", "-g", "4", "-flags", "+ildct+ilme"] },
  { name: "h264-baseline", codec: 1, args: ["-c:v", "libx264", "-profile:v", "baseline", "-slices", "3"] },
  {
    name: "h265",
    codec: 2,
    args: ["-c:v", "libx265", "-g", "4", "-bf", "0", "-x265-params", "log-level=error"],
  },
  {
    name: "h265-b",
    codec: 2,
    args: ["-c:v", "libx265", "-g", "6", "-bf", "2", "-x265-params", "log-level=error"],
  },
  { name: "mpeg4", codec: 3, args: ["-c:v", "mpeg4", "-g", "3", "-q:v", "12"] },
  {
    name: "mpeg4-b",
    codec: 3,
    args: ["-c:v", "mpeg4", "-g", "6", "-bf", "2", "-q:v", "12", "-flags", "+qpel"],
  },
  { name: "mjpeg", codec: 4, args: ["-c:v", "mjpeg", "-q:v", "20"], size: "51x37" },
  {
    name: "mjpeg-422",
    codec: 4,
    args: ["-c:v", "mjpeg", "-q:v", "20", "-pix_fmt", "yuvj422p"],
    size: "51x37",
  },
];

/** Sound: rate and channels of the input, and what is made of it (0 PCM, 1 AAC). */
const SOUND = [
  { name: "aac", aac: true, rate: 16000, channels: 1, output: 0 },
  { name: "aac-stereo", aac: true, rate: 48000, channels: 2, output: 1 },
  { name: "pcm", aac: false, rate: 8000, channels: 1, output: 1 },
  { name: "pcm-six", aac: false, rate: 44100, channels: 6, output: 0 },
];
/** Their places in kRates of native/codec/fuzz/sound.cc. */
const RATE_INDEX = new Map([8000, 16000, 44100, 48000].map((rate, at) => [rate, at]));

function tool(command, args) {
  const result = spawnSync(command, args, { encoding: "utf8", maxBuffer: OUTPUT_BYTES_MAX });
  if (result.error === undefined && result.status === 0) return result.stdout;
  throw new Error(`${command}: ${result.error?.message ?? result.stderr.trim()}`);
}

/** ffprobe's dump: lines of an offset, hexadecimal pairs, and the text of it from a fixed column on. */
function bytesOfDump(dump) {
  const lines = dump.split("\n").map((line) => line.slice(10, 50).replaceAll(" ", ""));
  return Buffer.from(lines.join(""), "hex");
}

/** Encodes to a file of `directory`; returns its stream and packets. */
function encode(directory, input, encoder) {
  const file = join(directory, "clip.nut");
  tool("ffmpeg", ["-v", "error", "-y", "-f", "lavfi", "-i", ...input, "-threads", "1", ...encoder, file]);
  const shown = ["-show_packets", "-show_streams", "-show_data", "-of", "json"];
  const { packets, streams } = JSON.parse(tool("ffprobe", ["-v", "error", ...shown, file]));
  return { packets, extradata: bytesOfDump(streams[0].extradata ?? "") };
}

function unit(flags, step, bytes) {
  return Buffer.concat([MARK, Buffer.from([flags, step & 0xff]), bytes]);
}

/** `target`: form, width, height, inside, quarter turns, quality - 1, bytes / 16. */
function videoSeed(directory, { codec, args, size = "64x48" }, target) {
  const input = [`testsrc2=s=${size}:r=25`, "-frames:v", "6"];
  const { packets } = encode(directory, input, [...args, "-bsf:v", "dump_extra"]);
  const head = Buffer.alloc(HEAD_BYTES);
  head[0] = codec - 1;
  head[1] = 1;
  head[3] = target.form;
  head.writeUInt16BE(target.width, 4);
  head.writeUInt16BE(target.height, 6);
  head[8] = target.inside;
  head[9] = target.turns;
  head[10] = 74;
  head.writeUInt16BE(target.bytes, 11);
  let before = 0;
  const units = packets.map((packet) => {
    const shown = Number(packet.pts_time);
    const step = Math.round((shown - before) / STEP_SECONDS);
    before = shown;
    const flags =
      (packet.flags.startsWith("K") ? KEY : 0) | (packet.pts > (packet.dts ?? packet.pts) ? REORDERED : 0);
    return unit(flags, step, bytesOfDump(packet.data));
  });
  return Buffer.concat([head, ...units]);
}

function soundSeed(directory, { aac, rate, channels, output }) {
  const input = [`sine=f=440:r=${rate}`, "-t", "0.3", "-ac", `${channels}`];
  const { packets, extradata } = encode(directory, input, ["-c:a", aac ? "aac" : "pcm_s16le"]);
  const head = Buffer.alloc(HEAD_BYTES);
  head[0] = aac ? 1 : 0;
  head[1] = channels;
  head[2] = RATE_INDEX.get(rate);
  head[5] = output;
  head[6] = output === 1 ? 1 : 0;
  const units = packets.map((packet) =>
    unit(0, Math.round(Number(packet.duration_time) * 1000), bytesOfDump(packet.data)),
  );
  return Buffer.concat([head, ...(aac ? [unit(0, 0, extradata)] : []), ...units]);
}

/**
 * A run of six fragments, later ones or those of a picture that begins: the numbers of native/packet/fragment_run.h, then the memory. H.264, or
 * H.265 with longer headers.
 */
function fragmentsSeed(headerBytes, begins) {
  const structure = headerBytes === 2 ? [0x1f, 28] : [0x7e, 98];
  const [written, packetBytes, packets] = [40, 12 + headerBytes + 25, 6];
  const memory = Buffer.alloc(written + packets * (4 + packetBytes), 1);
  for (let index = 0; index < packets; index += 1) {
    const at = written + index * (4 + packetBytes);
    memory.set([0x24, 0, 0, packetBytes, 0x80, 96], at);
    memory.writeUInt16BE((0xfffd + index) & 0xffff, at + 6);
    memory.writeUInt32BE(9000, at + 8);
    memory.writeUInt32BE(7, at + 12);
    memory[at + 16] = structure[1];
    memory[at + 15 + headerBytes] = index === packets - 1 ? 0x41 : 1;
  }
  if (begins) memory.set([0x81, 0x80], written + 15 + headerBytes);
  const numbers = [
    written,
    memory.length,
    0,
    96,
    7,
    begins ? 5400 : 9000,
    0xfffd,
    ...structure,
    headerBytes,
    20,
    4000,
    64,
    begins ? 1 : 0,
    1,
    1,
    0,
    0,
    0,
  ];
  return Buffer.concat([Buffer.from(Uint32Array.from(numbers).buffer), memory]);
}

/** Zones as native/codec/fuzz/motion.cc reads their numbers: up to 127 as it is, from 128 on in parts of 121. */
const MOTION_AREAS = {
  picture: [50, 129, 0],
  polygon: [80, 129, 1, 3, 128, 128, 249, 128, 128, 249],
  grid: [20, 129, 2, 2, 2, 1, 0, 0, 1, 50, 129, 0],
};

/** A grey picture of 48x40, then a bright line that comes and wanders. */
function motionSeed(area) {
  const head = Buffer.alloc(HEAD_BYTES);
  head.set([47, 39, 1]);
  const line = (at) => Buffer.alloc(48 * 40, 100).fill(220, at * 48, at * 48 + 300);
  const units = [
    { flags: 0, bytes: Buffer.from(MOTION_AREAS[area]) },
    ...[0, 0, 0, 0, 0, 0].map(() => ({ flags: 1, bytes: Buffer.from([100]) })),
    ...[5, 8, 11, 14].map((at) => ({ flags: 1, bytes: line(at) })),
  ];
  return Buffer.concat([head, ...units.map(({ flags, bytes }) => unit(flags, 100, bytes))]);
}

/** Writes the seeds of `target` (decode, still, motion, sound, fragments) to `folder`. Throws with ffmpeg's message when it fails. */
export function writeSeeds(target, folder) {
  mkdirSync(folder, { recursive: true });
  if (target === "fragments") {
    for (const headerBytes of [2, 3])
      for (const begins of [false, true])
        writeFileSync(
          join(folder, `${begins ? "begin" : "run"}-${headerBytes}`),
          fragmentsSeed(headerBytes, begins),
        );
    return;
  }
  if (target === "motion") {
    for (const area of Object.keys(MOTION_AREAS)) writeFileSync(join(folder, area), motionSeed(area));
    return;
  }
  const directory = mkdtempSync(join(tmpdir(), "nvrd-fuzz-seeds-"));
  try {
    if (target === "sound") {
      for (const sound of SOUND) writeFileSync(join(folder, sound.name), soundSeed(directory, sound));
      return;
    }
    VIDEO.forEach((video, at) => {
      const wanted = {
        form: at % 4,
        width: 40 * (at % 3),
        height: 30,
        inside: at % 2,
        turns: at % 4,
        bytes: 60,
      };
      writeFileSync(join(folder, video.name), videoSeed(directory, video, wanted));
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
}
