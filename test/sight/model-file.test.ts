import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { withSum } from "../../scripts/sight/sight-model.mjs";
import { readModel } from "../../src/sight/detector/model-file.js";
import { forEachTest } from "../support/base/for-tests.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

const directory = forEachTest(() => new TemporaryDirectory("model-file"));

function kept(bytes: Uint8Array): string {
  const file = directory.join("detector.onnx");
  writeFileSync(file, bytes);
  return file;
}

describe("the detector's weights", () => {
  it("are read as they were made", () => {
    const made = withSum(randomBytes(1000));
    expect(readModel(kept(made))).toEqual(made);
  });

  it.each([0, 500, 999])("of which a bit is wrong are none: byte %d", (at) => {
    const made = withSum(randomBytes(1000));
    made[at] = (made[at] ?? 0) ^ 1;
    expect(() => readModel(kept(made))).toThrow("weights are damaged");
  });

  it.each([0, 1, 500, 1065])("that end early are none: after %d bytes", (bytes) => {
    expect(() => readModel(kept(withSum(randomBytes(1000)).subarray(0, bytes)))).toThrow(
      "weights are damaged",
    );
  });
});
