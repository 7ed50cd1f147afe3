import { existsSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY_ROOT } from "../base/repository.js";

/**
 * Why tests with the real detector cannot run here; undefined where they can. It is asked of the checkout: a recorder that does
 * not find the weights there is a fault.
 */
export const noWeights = existsSync(join(REPOSITORY_ROOT, "build/sight/detector.onnx"))
  ? undefined
  : "the weights could not be fetched";
