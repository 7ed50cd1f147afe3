/**
 * Runs cases on a build of the codec and writes what it answered, so that builds for different processors can be
 * compared: node codec-cases.mjs CODEC_NODE CASES ANSWERS, the last two being files of v8.serialize().
 *
 * A case is { kind, ... }: "still" (options of decodeStill), "stream" (format, units, targets, skip), "sound" (options,
 * units as { bytes, timeUs }), "encode" (options, pictures). Its answer has `pictures`, `pieces` or `units`, and
 * `errors`: the kind (or code) of each call that failed. "busy" floods the queue; "closing" closes with work under way.
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { deserialize, serialize } from "node:v8";
import { loadCodecAddon } from "../../../dist/picture/codec/codec-addon.js";
import { NativeCodec } from "../../../dist/picture/codec/native-codec.js";

const QUEUE_MAX = 16;
const FLOOD = 60;
const CLOSINGS = 10;

const [addonFile, casesFile, answersFile] = process.argv.slice(2);
const addon = loadCodecAddon(addonFile);
const codec = new NativeCodec({ addon, threads: 2, queueMax: QUEUE_MAX });
if (codec.missing !== undefined) throw new Error(codec.missing);

/** What `calls` answered one after another, and what failed of them. */
async function answers(calls) {
  const values = [];
  const errors = [];
  for (const call of calls) {
    try {
      values.push(...(await call()));
    } catch (error) {
      errors.push(error.kind ?? error.code ?? String(error));
    }
  }
  return { values, errors };
}

async function stream({ format, units, targets, skip = "none" }) {
  const decoder = codec.openVideoDecoder(format);
  const calls = units.map((unit) => () => decoder.decode(unit, targets, skip));
  const { values, errors } = await answers([...calls, () => decoder.flush(targets)]);
  decoder.close();
  return { pictures: values.flat(), errors };
}

async function sound({ options, units }) {
  const transcoder = codec.openSoundTranscoder(options);
  const { values, errors } = await answers(
    units.map(
      ({ bytes, timeUs }) =>
        () =>
          transcoder.push([bytes], timeUs),
    ),
  );
  transcoder.close();
  return { pieces: values, errors };
}

async function encode({ options, pictures }) {
  const encoder = codec.openVideoEncoder(options);
  const { values, errors } = await answers(pictures.map((picture) => () => encoder.encode(picture)));
  encoder.close();
  return { units: values, errors };
}

/** More stills than the queue takes: what was refused says so, the rest is done. */
async function busy({ still }) {
  const settled = await Promise.allSettled(Array.from({ length: FLOOD }, () => codec.decodeStill(still)));
  const refused = settled.filter((result) => result.status === "rejected").map((result) => result.reason);
  return { errors: [...new Set(refused.map((error) => error.code))], load: codec.load };
}

/** Several times: on a busy machine the codec's threads may be done with all of the work before it is closed. */
async function closing({ format, units, targets }) {
  const kinds = new Set();
  for (let turn = 0; turn < CLOSINGS; turn += 1) {
    const decoder = codec.openVideoDecoder(format);
    const work = units.map((unit) => decoder.decode(unit, targets));
    decoder.close();
    for (const result of await Promise.allSettled(work))
      if (result.status === "rejected") kinds.add(result.reason.kind);
  }
  return { errors: [...kinds], load: codec.load };
}

const RUNS = {
  still: async ({ options }) => {
    const { values, errors } = await answers([() => codec.decodeStill(options)]);
    return { pictures: values, errors };
  },
  stream,
  sound,
  encode,
  busy,
  closing,
};

const cases = deserialize(readFileSync(casesFile));
const done = [];
for (const each of cases) done.push({ ...(await RUNS[each.kind](each)), name: each.name });
writeFileSync(answersFile, serialize({ machine: process.arch, answers: done }));
