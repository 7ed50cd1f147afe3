import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { REPOSITORY_ROOT } from "../base/repository.js";

const run = promisify(execFile);

/**
 * Compiles test/support/`name`.c into an addon in `directory` and answers its path. `over` is an addon that is loaded with
 * it and finds the functions of Node-API there first.
 */
export async function buildTestAddon(directory: string, name: string, over?: string): Promise<string> {
  const output = join(directory, `${name}.node`);
  const headers = join(REPOSITORY_ROOT, "node_modules/node-api-headers/include");
  const source = join(REPOSITORY_ROOT, `test/support/${name}.c`);
  // The linker leaves out what no symbol of the source asks for, unless told not to.
  const beneath = over === undefined ? [] : ["-Wl,--no-as-needed", over];
  await run("cc", [
    "-shared",
    "-fPIC",
    "-O1",
    "-Wall",
    "-Wextra",
    "-I",
    headers,
    source,
    ...beneath,
    "-o",
    output,
  ]);
  return output;
}
