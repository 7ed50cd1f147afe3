import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { REPOSITORY_ROOT } from "../base/repository.js";

/** This checkout's program from the files of dist/, without its bundle. */
export const MODULES_PROGRAM = join(REPOSITORY_ROOT, "test", "support", "service", "program-of-modules.mjs");

/**
 * The program that is tested: the one that NVRD_TEST_PROGRAM names, or else that of the checkout, which starts its bundle.
 * `usr/lib/nvrd/bin/nvrd` of an unpacked package is run by the Node that lies beside it.
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
