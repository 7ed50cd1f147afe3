import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { REPOSITORY_ROOT } from "../base/repository.js";

/** `bin/nvrd` of this checkout, whose modules are the files of dist/. */
export const CHECKOUT_PROGRAM = join(REPOSITORY_ROOT, "bin", "nvrd");

/**
 * The program that is tested: the one that NVRD_TEST_PROGRAM names, or else that of the checkout. `npm test` names the
 * checkout's bundle; `usr/lib/nvrd/bin/nvrd` of an unpacked package is run by the Node that lies beside it.
 */
export const PROGRAM = process.env.NVRD_TEST_PROGRAM ?? CHECKOUT_PROGRAM;

const besides = join(dirname(PROGRAM), "node");

/** The Node that runs it. */
export const PROGRAM_NODE = existsSync(besides) ? besides : process.execPath;

/** Where a program that is started by its first line finds its Node. */
export const PROGRAM_PATH = [
  ...(PROGRAM_NODE === besides ? [dirname(besides)] : []),
  process.env.PATH ?? "",
].join(delimiter);
