import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The detector's weights (scripts/sight/sight-model.mjs), the same from `src`, `dist` and a package; undefined: they were not made. */
export function detectorModelFile(): string | undefined {
  const file = fileURLToPath(new URL("../../../build/sight/detector.onnx", import.meta.url));
  return existsSync(file) ? file : undefined;
}
