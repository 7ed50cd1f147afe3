import { execFileSync } from "node:child_process";
import { crc32 } from "node:zlib";
import { expect, it } from "vitest";
import { crossBuildMissing } from "../../../scripts/cross-build.mjs";
import { notHere } from "../../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

const BYTES = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 2_654_435_761) >>> 13));
const CASES = [0, 1, 7, 8, 9, 15, 16, 63, 64, 65, 1000, 99_990].flatMap((length) =>
  [0, 1, 5].map((start) => ({ length, start })),
);
const missing = crossBuildMissing("arm64");

it.skipIf(missing !== undefined)(
  `is that of zlib on ARM too, with its instruction for it${notHere(missing)}`,
  () => {
    const directory = new TemporaryDirectory("nvrd-crc-arm64");
    const program = directory.join("crc");
    const sources = [
      `${REPOSITORY_ROOT}/test/support/archive/crc-cases.cc`,
      `${REPOSITORY_ROOT}/native/volume/crc32.cc`,
    ];
    execFileSync("aarch64-linux-gnu-g++", ["-std=c++17", "-O2", "-static", ...sources, "-o", program]);
    const named = CASES.map(({ length, start }) => `${length}:${start}`);
    const wanted = CASES.map(({ length, start }) =>
      crc32(BYTES.subarray(start, start + length), 0x1234_5678)
        .toString(16)
        .padStart(8, "0"),
    );
    for (const cpu of ["max", "cortex-a53"]) {
      const output = execFileSync("qemu-aarch64-static", ["-cpu", cpu, program, ...named], { input: BYTES });
      expect(output.toString("latin1").trim().split("\n")).toEqual(wanted);
    }
    directory.remove();
  },
);
