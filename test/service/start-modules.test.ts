import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { REPOSITORY_ROOT } from "../support/base/repository.js";

const BUNDLE = join(REPOSITORY_ROOT, "bundle");
/** How a file of the bundle loads another one, or what is outside, when it is itself loaded. */
const LOADED_AT_ONCE = /^(?:\(function [^{]*\{ )?(?:const|let|var) [\w$]+ = require\("([^"]+)"\)/gm;
const SERVICE =
  /case "demo": return await \(await Promise\.resolve\(\)\.then\(\(\) => require\("\.\/([^"]+)"\)\)/;

/** What of Node a start may load: all else costs every recorder some 3 to 35 ms. */
const OF_NODE = [
  ...["buffer", "crypto", "dgram", "events", "fs", "fs/promises", "module", "net", "os", "path"],
  ...["perf_hooks", "stream", "timers/promises", "tty", "url", "util", "v8", "worker_threads", "zlib"],
].map((name) => `node:${name}`);

function textOf(file: string): string {
  return readFileSync(join(BUNDLE, file), "latin1");
}

/** Files of the bundle that `nvrd run` loads before it does anything, and what they need from outside. */
function loadedBy(first: string): { files: ReadonlySet<string>; outside: ReadonlySet<string> } {
  const files = new Set([first]);
  const outside = new Set<string>();
  for (const file of files)
    for (const [, name = ""] of textOf(file).matchAll(LOADED_AT_ONCE))
      if (name.startsWith("./")) files.add(name.slice(2));
      else outside.add(name);
  return { files, outside };
}

describe("the start of the service", () => {
  let loaded: ReturnType<typeof loadedBy>;
  beforeAll(() => {
    const [, first] = SERVICE.exec(textOf("cli.js")) ?? [];
    if (first === undefined) throw new Error("cli.js does not say what runs the service");
    loaded = loadedBy(first);
  });

  it("loads the service by its files", () => {
    expect(loaded.files.size).toBeGreaterThan(50);
  });

  it("loads no package from outside the bundle", () => {
    expect([...loaded.outside].filter((name) => !name.startsWith("node:"))).toEqual([]);
  });

  it("loads of Node what every recorder needs, and not what a hub alone does", () => {
    expect([...loaded.outside].filter((name) => name.startsWith("node:") && !OF_NODE.includes(name))).toEqual(
      [],
    );
  });
});
