// Own process: it is about what its process has loaded.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { Codec, type VideoFormat } from "../../../src/live/codec/codec.js";
import { loadCodecAddon } from "../../../src/picture/codec/codec-addon.js";
import { askCodecVersion } from "../../../src/picture/codec/codec-version.js";
import { LateCodec, type LateCodecOptions } from "../../../src/picture/codec/late-codec.js";
import { NativeCodec } from "../../../src/picture/codec/native-codec.js";
import { SILENT_LOG } from "../../support/archive/index-harness.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { pause } from "../../support/service/service.js";

const SOUND = {
  input: { codec: Codec.PCMU, sampleRate: 8000, channels: 1, initialization: new Uint8Array() },
  output: "pcm",
} as const;

const FORMAT = { codec: Codec.H264 } as VideoFormat;

function lateCodec(options: Partial<LateCodecOptions> = {}): LateCodec {
  const askVersion = async () => ({ libavVersion: "5" });
  const preload = async (work: () => void) => work();
  return new LateCodec({ clock: new SimulatedClock(), log: SILENT_LOG, askVersion, preload, ...options });
}

describe("a codec that is loaded late", () => {
  it("is not in memory until it is needed, and stays when the thread that loaded it has ended", () => {
    const dist = (file: string): string => pathToFileURL(join(REPOSITORY_ROOT, "dist", file)).href;
    const script = `
      import { readFileSync } from "node:fs";
      import { LateCodec } from "${dist("picture/codec/late-codec.js")}";
      import { SystemClock, createLog } from "${dist("base/index.js")}";
      const isMapped = () => readFileSync("/proc/self/maps", "latin1").includes("/build/codec.node");
      const codec = new LateCodec({ clock: new SystemClock(), log: createLog({ level: "fatal" }) });
      const before = isMapped();
      await codec.prepare();
      const transcoder = codec.openSoundTranscoder(${JSON.stringify(SOUND)});
      const pieces = await transcoder.push([new Uint8Array(800)], 0);
      console.log(JSON.stringify({ before, after: isMapped(), pieces: pieces.length, prepared: codec.prepare() === undefined }));
      process.exit();
    `;
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
    });
    expect(JSON.parse(output)).toEqual({ before: false, after: true, pieces: 1, prepared: true });
  });

  it("is loaded once for all who wait for it", async () => {
    const preload = vi.fn(async (work: () => void) => work());
    const codec = lateCodec({ preload });
    await Promise.all([codec.prepare(), codec.prepare()]);
    expect(preload).toHaveBeenCalledTimes(1);
    expect(codec.prepare()).toBeUndefined();
  });

  it("serves those who wait for it before one who comes while the thread that loaded it ends", async () => {
    const codec = lateCodec({
      preload: async (work) => {
        work();
        await pause(20);
      },
    });
    const served: string[] = [];
    const serve = async (name: string): Promise<void> => {
      await codec.prepare();
      served.push(name);
    };
    const first = serve("first");
    const second = new Promise((resolve) => setImmediate(() => resolve(serve("second"))));
    await Promise.all([first, second]);
    expect(served).toEqual(["first", "second"]);
    expect(codec.prepare()).toBeUndefined();
  });

  it("opens without being prepared, on the thread that asks", () => {
    const transcoder = lateCodec().openSoundTranscoder(SOUND);
    expect(() => transcoder.close()).not.toThrow();
  });

  it("that cannot be loaded says what to install, and logs it once", async () => {
    const warn = vi.fn();
    const log = Object.assign(Object.create(SILENT_LOG), { warn });
    const codec = lateCodec({ addon: loadCodecAddon("../../../build/not-there.node"), log });
    const missing = { code: "NOT_SUPPORTED", hint: expect.stringContaining("apt-get install") };
    await codec.prepare();
    expect(() => codec.openVideoDecoder(FORMAT)).toThrow(expect.objectContaining(missing));
    expect(() => codec.openVideoDecoder(FORMAT)).toThrow(expect.objectContaining(missing));
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[0]).toMatchObject({ reason: expect.stringContaining("not-there.node") });
  });
});

describe("the version of libav*", () => {
  it("comes from a child process while the codec is not loaded, and is the codec's own", async () => {
    const { libavVersion } = new NativeCodec();
    expect(await askCodecVersion()).toEqual({ libavVersion });
    expect(await lateCodec().libavVersion()).toBe("5");
    const loaded = lateCodec();
    await loaded.prepare();
    expect(await loaded.libavVersion()).toBe(libavVersion);
  });

  it("is asked once", async () => {
    const askVersion = vi.fn(async () => ({ libavVersion: "5" }));
    const codec = lateCodec({ askVersion });
    await Promise.all([codec.libavVersion(), codec.libavVersion()]);
    await codec.libavVersion();
    expect(askVersion).toHaveBeenCalledTimes(1);
  });

  it("is unknown, with the reason, where the child process does not answer", async () => {
    expect(await askCodecVersion("/nowhere/codec-version-child.js")).toEqual({
      missing: expect.stringContaining("it cannot be asked"),
    });
    const codec = lateCodec({ askVersion: async () => ({ missing: "its library is of another version" }) });
    expect(await codec.libavVersion()).toBeUndefined();
  });
});
