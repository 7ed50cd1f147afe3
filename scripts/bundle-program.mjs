/** Makes `bundle/` of `dist/`, and its code cache: what bin/nvrd of a checkout starts. */
import { relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { bundleService } from "./package/bundle.mjs";
import { makeCodeCache } from "./package/code-cache.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

await bundleService(ROOT);
const refusal = await makeCodeCache(ROOT);
if (refusal !== undefined) console.warn(`bundle: without a code cache, each start takes longer: ${refusal}`);
console.log(`bundle: ${relative(process.cwd(), ROOT) || "."}`);
