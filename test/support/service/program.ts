import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { REPOSITORY_ROOT } from "../base/repository.js";

/**
 * The program that is tested: `bin/nvrd` of this checkout, or the one that NVRD_TEST_PROGRAM names: `usr/lib/nvrd/bin/nvrd` of
 * an unpacked package, with the Node that lies beside it.
 */
export const PROGRAM = process.env.NVRD_TEST_PROGRAM ?? join(REPOSITORY_ROOT, "bin", "nvrd");

const besides = join(dirname(PROGRAM), "node");

/** The Node that runs it. */
export const PROGRAM_NODE = existsSync(besides) ? besides : process.execPath;

/** Where a program that is started by its first line finds its Node. */
export const PROGRAM_PATH = [
  ...(PROGRAM_NODE === besides ? [dirname(besides)] : []),
  process.env.PATH ?? "",
].join(delimiter);
