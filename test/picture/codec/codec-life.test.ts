// Own process: it ends threads in the middle of native work.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { beforeAll, describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { loadCodecAddon } from "../../../src/picture/codec/codec-addon.js";
import { type CodedUnit, NativeCodec } from "../../../src/picture/index.js";
import { type CodedClip, codedClip } from "../../support/media/coded-clip.js";

const run = promisify(execFile);
const THREADS = 2;
const BOUNDS = { threads: THREADS, queueMax: 256, openMax: 256 };
const GRAY = [{ form: "gray", width: 64 }] as const;
let clip: CodedClip;

beforeAll(async () => {
  const options = { codec: Codec.H264, width: 640, height: 360, frames: 8, flags: ["-bf", "0", "-g", "8"] };
  clip = await codedClip(options);
});

function key(): CodedUnit {
  const [unit] = clip.units;
  if (unit === undefined) throw new Error("no unit");
  return unit;
}

function still(codec: NativeCodec) {
  return codec.decodeStill({ format: clip.format, units: [key()], targets: GRAY });
}

describe("work that nobody waits for", () => {
  it("has its turn when the rest is done", async () => {
    const codec = new NativeCodec(BOUNDS);
    const names = ["idle", ...Array.from({ length: THREADS }, () => "soon")];
    const decoders = names.map((name) =>
      codec.openVideoDecoder(clip.format, name === "idle" ? "when-idle" : "soon"),
    );
    const order: string[] = [];
    const work = decoders.map((decoder, at) =>
      Promise.all(
        Array.from({ length: 30 }, () => decoder.decode(key(), GRAY).then(() => order.push(names[at] ?? ""))),
      ),
    );
    await Promise.all(work);
    // As many lanes as threads keep these busy; what was begun before they came is done.
    expect(order.slice(0, 40).filter((name) => name === "idle").length).toBeLessThanOrEqual(THREADS);
    expect(order.filter((name) => name === "idle")).toHaveLength(30);
    for (const decoder of decoders) decoder.close();
  });
});

describe("a full queue", () => {
  it("is reported as NOT_AVAILABLE with a time to wait, and accepted work is done", async () => {
    const codec = new NativeCodec({ ...BOUNDS, queueMax: 4 });
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => still(codec)));
    const refused = results.filter((result) => result.status === "rejected").map((result) => result.reason);
    expect(refused.length).toBeGreaterThan(0);
    for (const reason of refused) expect(reason).toMatchObject({ code: "NOT_AVAILABLE", retryAfterMs: 1000 });
    expect(results.length - refused.length).toBeGreaterThanOrEqual(4);
    expect(codec.load).toMatchObject({ threads: THREADS, running: 0, queued: 0, open: 0 });
  });

  it("of one stream leaves the others their turn", async () => {
    const codec = new NativeCodec(BOUNDS);
    const greedy = codec.openVideoDecoder(clip.format);
    const flood = Promise.allSettled(Array.from({ length: 200 }, () => greedy.decode(key(), GRAY)));
    const order: string[] = [];
    const patient = codec.openVideoDecoder(clip.format);
    const other = patient.decode(key(), GRAY).then(() => order.push("other"));
    const single = still(codec).then(() => order.push("single"));
    await Promise.all([flood.then(() => order.push("flood")), other, single]);
    expect(order.at(-1)).toBe("flood");
    const refused = (await flood).filter((result) => result.status === "rejected");
    expect(refused.length).toBeGreaterThan(100);
    for (const result of refused) expect(result.reason).toMatchObject({ code: "NOT_AVAILABLE" });
    greedy.close();
    patient.close();
  });

  it("of open decoders refuses one more, and takes it when another was closed", () => {
    const codec = new NativeCodec({ ...BOUNDS, openMax: 2 });
    const [first, second] = [codec.openVideoDecoder(clip.format), codec.openVideoDecoder(clip.format)];
    expect(codec.load.open).toBe(2);
    expect(() => codec.openVideoDecoder(clip.format)).toThrow(
      expect.objectContaining({ code: "NOT_AVAILABLE" }),
    );
    first.close();
    first.close();
    codec.openVideoDecoder(clip.format).close();
    second.close();
    expect(codec.load.open).toBe(0);
  });
});

describe("closing", () => {
  it("while its work runs and waits settles every promise", async () => {
    const codec = new NativeCodec(BOUNDS);
    let rejected = 0;
    for (let turn = 0; turn < 20; turn += 1) {
      const decoder = codec.openVideoDecoder(clip.format);
      const work = clip.units.map((unit) => decoder.decode(unit, GRAY));
      if (turn % 2 === 0) await work[0];
      decoder.close();
      const settled = await Promise.allSettled(work);
      for (const result of settled) {
        if (result.status !== "rejected") continue;
        rejected += 1;
        expect(result.reason).toMatchObject({ name: "CodecError", kind: "closed" });
      }
      await expect(decoder.decode(key(), GRAY)).rejects.toMatchObject({ kind: "closed" });
      await expect(decoder.flush(GRAY)).rejects.toMatchObject({ kind: "closed" });
    }
    // On a busy machine the codec's threads may be done with all of a turn before this one goes on.
    expect(rejected).toBeGreaterThan(0);
    expect(codec.load.open).toBe(0);
  });

  it("terminating a worker thread during its work ends only that thread", async () => {
    const source = `
      const { workerData } = require("node:worker_threads");
      import(workerData.module).then(({ NativeCodec }) => {
        const codec = new NativeCodec({ threads: 2 });
        const { format, units } = workerData.clip;
        for (let count = 0; count < 50; count += 1)
          codec.decodeStill({ format, units, targets: [{ form: "rgb" }] }).catch(() => undefined);
        require("node:worker_threads").parentPort.postMessage("busy");
      });`;
    const module = new URL("../../../dist/picture/index.js", import.meta.url).href;
    for (let turn = 0; turn < 3; turn += 1) {
      const worker = new Worker(source, { eval: true, workerData: { module, clip } });
      await new Promise((resolve) => worker.once("message", resolve));
      await worker.terminate();
    }
    expect(await still(new NativeCodec(BOUNDS))).toHaveLength(1);
  });

  it("the process exits with work in flight, at once and without error output", async () => {
    const module = new URL("../../../dist/picture/index.js", import.meta.url).href;
    const units = clip.units.map((unit) => ({
      ...unit,
      bytes: [Buffer.concat(unit.bytes).toString("base64")],
    }));
    const script = `
      const { NativeCodec } = await import(${JSON.stringify(module)});
      const codec = new NativeCodec({ threads: 2 });
      const units = ${JSON.stringify(units)}.map((unit) => ({ ...unit, bytes: [Buffer.from(unit.bytes[0], "base64").subarray(0, 3000)] }));
      const format = { codec: 1, width: 640, height: 360, initialization: new Uint8Array(0) };
      for (let count = 0; count < 50; count += 1) codec.decodeStill({ format, units, targets: [{ form: "rgb" }] }).catch(() => 0);
      await codec.decodeStill({ format, units, targets: [] }).catch(() => 0);
      console.log("leaving");
      process.exit(0);`;
    const { stdout, stderr } = await run(process.execPath, ["--input-type=module", "-e", script]);
    expect({ stdout, stderr }).toEqual({ stdout: "leaving\n", stderr: "" });
  });
});

describe("memory", () => {
  it("of all decoders together is bounded", async () => {
    const codec = new NativeCodec({ ...BOUNDS, frameBytesMax: 100_000 });
    await expect(still(codec)).rejects.toMatchObject({ name: "CodecError", kind: "memory" });
    expect(await still(new NativeCodec(BOUNDS))).toHaveLength(1);
  });

  it("shared memory and bytes in pieces are read as they are", async () => {
    const codec = new NativeCodec(BOUNDS);
    const bytes = Buffer.concat(key().bytes);
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    const pieces = [
      shared.subarray(0, 7),
      new Uint8Array(0),
      shared.subarray(7, 1000),
      shared.subarray(1000),
    ];
    const [expected] = await still(codec);
    const targets = GRAY;
    const [picture] = await codec.decodeStill({
      format: clip.format,
      units: [{ ...key(), bytes: pieces }],
      targets,
    });
    expect(picture?.data).toEqual(expected?.data);
  });
});

describe("the addon", () => {
  it("that is missing is reported with what to install", async () => {
    const codec = new NativeCodec({ addon: loadCodecAddon("../../../build/not-there.node") });
    const missing = { code: "NOT_SUPPORTED", hint: expect.stringContaining("apt-get install") };
    await expect(still(codec)).rejects.toMatchObject(missing);
    expect(() => codec.openVideoDecoder(clip.format)).toThrow(expect.objectContaining(missing));
    expect(codec.load).toMatchObject({ threads: 0, running: 0, queued: 0, open: 0 });
  });

  it("answers any arguments without ending the process", () => {
    const { decodeStill, VideoDecoder, MotionWatch, RegionMotion, configurePool, softwareDecoder } =
      loadCodecAddon().functions;
    const odd: unknown[] = [
      undefined,
      null,
      -1,
      Number.NaN,
      "x",
      {},
      [],
      [[]],
      [1, "", 3],
      new Float64Array(3),
      Symbol("s"),
    ];
    for (const callable of [decodeStill, configurePool, softwareDecoder])
      for (const value of odd)
        for (const other of odd)
          attempt(() => (callable as (...args: unknown[]) => unknown)(value, other, other, value));
    for (const value of odd)
      attempt(() => new (VideoDecoder as new (...args: unknown[]) => unknown)(value, value));
    for (const made of [MotionWatch, RegionMotion] as (new (
      zones: unknown,
    ) => Record<string, unknown>)[]) {
      const watch = new made(Float64Array.of(50, 0.2, 0));
      for (const name of ["analyze", "take", "touches"])
        for (const value of odd)
          for (const other of odd)
            attempt(() => (watch[name] as (...args: unknown[]) => unknown)?.(value, other, value, other));
      for (const value of [...odd, Float64Array.of(50, 0.2, 1, 3), Float64Array.of(50, Number.NaN, 0)])
        attempt(() => new made(value));
    }
    expect(new NativeCodec(BOUNDS).load.open).toBe(0);
  });

  function attempt(call: () => unknown): void {
    try {
      const result = call();
      if (result instanceof Promise) result.catch(() => undefined);
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
    }
  }
});
