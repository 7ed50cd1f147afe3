import { isParameterSet, nalType } from "../codecs.js";

import type { Habit } from "../habit.js";

const kind = "key frames";
const SEI = 6;
const SPS = 7;
/** Of 1920 x 1080 pictures. */
const OTHER_SETS = "Z2QAKqwsaoHgCJ+WbgoCCoAAAAMAgAAAD0IA,aO4xshsA";
const WAITS = /key frame/i;

function withoutParameterSets(units: readonly Buffer[]): Buffer[] {
  return units.filter((unit) => !isParameterSet("h264", unit));
}

function withTrailing(set: Buffer): Buffer {
  return Buffer.concat([set, Buffer.from([0x4d, 0x40, 0x40, 0x80])]);
}

/** Key frames that come late, rarely, or in another shape; the parameter sets that they need. */
export const KEY_FRAMES: readonly Habit[] = [
  {
    name: "sends its first key frame after 63 seconds",
    claims: ["pace"],
    ...{ kind, report: "crumbvms #114", clip: "h264Long", from: 20, seconds: 80 },
    expect: {
      mayMiss: ({ index, atMs }) => index < 630 || atMs < 63_000,
      status: WAITS,
      makes: "waits, says so, and records from the first key frame on",
    },
  },
  {
    name: "sends a key frame every 65 seconds",
    ...{ kind, report: "acap-rs #246", clip: "h264Long", seconds: 80 },
  },
  {
    name: "sends recovery points of an intra refresh and no IDR picture",
    ...{ kind, report: "hls.js #850", clip: "h264Refresh", from: 20 },
    expect: {
      mayMiss: ({ index, atMs }) => index < 40 || atMs < 4_000,
      status: /key frame/i,
      makes: "records from the first recovery point after two seconds on, and says what to set at the camera",
    },
  },
  {
    name: "sends recovery points of open groups and no IDR picture",
    ...{ kind, report: "hls.js #850", clip: "h264OpenGop", from: 19 },
  },
  {
    name: "sends plain I pictures, neither IDR nor recovery points",
    ...{ kind, report: "firmware #375", clip: "h264OpenGop", from: 19 },
    units: (units) => units.filter((unit) => nalType("h264", unit) !== SEI),
    expect: {
      mayMiss: ({ index, atMs }) => index < 60 || atMs < 6_000,
      status: /key frame/i,
      makes: "records from the first I picture after three seconds on, and says what to set at the camera",
    },
  },
  {
    name: "refreshes its pictures without saying so, and sends no IDR picture",
    ...{ kind, report: "firmware #375", clip: "h264Refresh", from: 21, seconds: 75 },
    units: (units) => units.filter((unit) => nalType("h264", unit) !== SEI),
    expect: {
      mayMiss: ({ index, atMs }) => index < 620 || atMs < 62_000,
      status: /key frame/i,
      makes: "waits for a minute, says so, and records from then on, marked as not cleanly decodable",
    },
  },
  {
    name: "announces its parameter sets and does not send them",
    claims: ["parameter sets"],
    ...{ kind, report: "Savant #709", codecs: ["h264"] },
    units: withoutParameterSets,
  },
  {
    name: "sends its parameter sets and does not announce them",
    claims: ["parameter sets"],
    ...{ kind, report: "gortsplib #88", codecs: ["h264"] },
    sdp: (lines) => lines.map((line) => line.replace(/;sprop-parameter-sets=.*/, "")),
  },
  {
    name: "announces empty parameter sets",
    claims: ["parameter sets"],
    ...{ kind, report: "kerberos-io/agent #105", codecs: ["h264"] },
    sdp: (lines) => lines.map((line) => line.replace(/(sprop-parameter-sets=).*/, "$1")),
  },
  {
    name: "announces its parameter sets in the wrong order, and sends none",
    claims: ["parameter sets"],
    ...{ kind, report: "gortsplib #402", codecs: ["h264"] },
    units: withoutParameterSets,
    sdp: (lines) => lines.map((line) => line.replace(/(sprop-parameter-sets=)([^,]+),(.+)/, "$1$3,$2")),
  },
  {
    name: "announces parameter sets with start codes",
    claims: ["parameter sets"],
    ...{ kind, report: "retina #42", codecs: ["h264"] },
    sdp: (lines) => lines.map((line) => line.replace(/(sprop-parameter-sets=)(.+)/, withStartCodes)),
    units: withoutParameterSets,
  },
  {
    name: "sends its parameter sets with the first key frame alone",
    claims: ["parameter sets"],
    ...{ kind, report: "ExoPlayer PR 3854", codecs: ["h264"] },
    sdp: (lines) => lines.map((line) => line.replace(/;sprop-parameter-sets=.*/, "")),
    units: (units, { index }) => (index === 0 ? units : withoutParameterSets(units)),
  },
  {
    name: "announces parameter sets of another picture",
    claims: ["parameter sets"],
    ...{ kind, report: "yi-hack-Allwinner-v2 #1153", codecs: ["h264"] },
    sdp: (lines) => lines.map((line) => line.replace(/(sprop-parameter-sets=).*/, `$1${OTHER_SETS}`)),
  },
  {
    name: "announces parameter sets that are none",
    claims: ["parameter sets"],
    ...{ kind, report: "mediamtx #861", codecs: ["h264"] },
    sdp: (lines) => lines.map((line) => line.replace(/(sprop-parameter-sets=).*/, "$1(null),////,=,%%%")),
  },
  {
    name: "changes the size of its pictures",
    claims: ["parameter sets"],
    ...{ kind, report: "frigate #542", clip: "h264Sizes", from: 60 },
  },
  {
    name: "changes the size of its pictures of H.265",
    claims: ["parameter sets"],
    ...{ kind, report: "frigate #542", clip: "h265Sizes", from: 60 },
  },
  {
    name: "changes its parameter sets with each group of pictures",
    claims: ["parameter sets"],
    ...{ kind, report: "mediamtx #4262", codecs: ["h264"] },
    units: (units, { gop }) =>
      units.map((unit) => (nalType("h264", unit) === SPS && gop % 2 === 0 ? withTrailing(unit) : unit)),
  },
  {
    name: "sends bytes behind the end of its parameter sets",
    claims: ["parameter sets"],
    ...{ kind, report: "retina #104", codecs: ["h264"] },
    units: (units) => units.map((unit) => (nalType("h264", unit) === SPS ? withTrailing(unit) : unit)),
  },
  {
    name: "sends its parameter sets behind the key frame that they are of",
    claims: ["parameter sets"],
    ...{ kind, report: "retina #13", codecs: ["h264"] },
    units: (units) => [
      ...withoutParameterSets(units),
      ...units.filter((unit) => isParameterSet("h264", unit)),
    ],
  },
  {
    name: "sends its parameter sets a second before each key frame",
    claims: ["parameter sets"],
    ...{ kind, report: "ex_nvr #17", codecs: ["h264"] },
    units: (units, { key, inGop, sets }) => {
      const others = key ? withoutParameterSets(units) : units;
      return inGop === 10 ? [...others, ...sets] : others;
    },
  },
  {
    name: "sends its parameter sets with each picture",
    claims: ["parameter sets"],
    ...{ kind, report: "mediamtx #787", codecs: ["h264"] },
    units: (units, { key, sets }) => (key ? units : [...sets, ...units]),
  },
];

function withStartCodes(_all: string, name: string, sets: string): string {
  const coded = sets
    .split(",")
    .map((set) => Buffer.concat([Buffer.from([0, 0, 0, 1]), Buffer.from(set, "base64")]).toString("base64"));
  return `${name}${coded.join(",")}`;
}
