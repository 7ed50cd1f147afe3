import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readPlainSync } from "../../base/index.js";

/** The detector's weights (scripts/sight/sight-model.mjs), the same from `src`, `dist` and a package; undefined: they were not made. */
export function detectorModelFile(): string | undefined {
  const file = fileURLToPath(new URL("../../../build/sight/detector.onnx", import.meta.url));
  return existsSync(file) ? file : undefined;
}

/** Tag and length of the sum behind the model: field 6 of ModelProto, 64 hexadecimal digits. */
const SUM_HEAD = Buffer.from([0x32, 64]);
const SUM_BYTES = SUM_HEAD.length + 64;
/** No network that a recorder can use is larger. */
const MODEL_BYTES_MAX = 64 * 1024 * 1024;

/**
 * The weights. Throws where they are not those that were made, be it because the file ends early: a damaged bit among them makes a detector that works and sees nothing,
 * or what is not there.
 */
export function readModel(file: string): Buffer {
  const bytes = readPlainSync(file, MODEL_BYTES_MAX);
  const model = bytes.subarray(0, -SUM_BYTES);
  const sum = bytes.subarray(-SUM_BYTES);
  const made = Buffer.concat([SUM_HEAD, Buffer.from(createHash("sha256").update(model).digest("hex"))]);
  if (!sum.equals(made)) throw new Error("its weights are damaged: install nvrd again, or run npm run build");
  return bytes;
}
