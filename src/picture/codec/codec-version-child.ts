/**
 * The child process that says which libav* this machine has: `node codec-version-child.js`. Prints one line of JSON, `CodecVersion`.
 * The service would keep 15 MB of libraries for that answer.
 */
import { loadCodecAddon } from "./codec-addon.js";
import { NativeCodec } from "./native-codec.js";

const addon = loadCodecAddon();
const { missing, libavVersion } = new NativeCodec({ addon, threads: 1 });
process.stdout.write(`${JSON.stringify({ missing, libavVersion })}\n`);
