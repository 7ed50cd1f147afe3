import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { HTTP_PACKAGES, makeHttpLibraries, withOurWords } from "../../scripts/http-library.mjs";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

const MODULES = join(REPOSITORY_ROOT, "node_modules");
const THEIRS =
  "HTTP/1.1 505 HTTP Version Not Supported\r\nConnection: close\r\n\r\n<h1>HTTP Version Not Supported</h1><p>This server does not support HTTP/1.0.</p><hr><i>uWebSockets/20 Server</i>\0";
const BINARY = Buffer.from(`before\0${THEIRS}after`, "latin1");

function temporary(): TemporaryDirectory {
  const directory = new TemporaryDirectory("http-library");
  onTestFinished(() => directory.remove());
  return directory;
}

describe("a binary of the HTTP library", () => {
  it("says what nginx needs, and is as long as before", () => {
    const worded = withOurWords(BINARY, "it").toString("latin1");
    expect(worded).toHaveLength(BINARY.length);
    expect(worded).toMatch(/^before\0HTTP\/1\.1 505 .*proxy_http_version 1\.1;[^\0]*\0after$/s);
  });

  it.each([
    ["without the text", Buffer.from("before after")],
    ["with another text", Buffer.from(BINARY.toString("latin1").replace("server", "thing!"), "latin1")],
    ["with the text twice", Buffer.concat([BINARY, BINARY])],
    ["with another 505 before it", Buffer.concat([Buffer.from("HTTP/1.1 505 x\0"), BINARY])],
  ])("%s is refused", (_what, binary) => {
    expect(() => withOurWords(binary, "uws.node")).toThrow("uws.node does not have the known text");
  });
});

describe("the binaries of the packages", () => {
  it.each(["x64", "arm64"])("for %s differ in the text alone", (cpu) => {
    const folder = temporary().path;
    const made = makeHttpLibraries(MODULES, folder, cpu);
    const abis = Object.entries(HTTP_PACKAGES).filter(([, name]) => existsSync(join(MODULES, name)));
    expect(readdirSync(folder).sort()).toEqual(abis.map(([abi]) => `uws_linux_${cpu}_${abi}.node`));
    for (const { file, source } of made) {
      const [before, after] = [readFileSync(source), readFileSync(join(folder, file))];
      const different = Array.from(before.keys()).filter((at) => before[at] !== after[at]);
      expect(after).toHaveLength(before.length);
      expect(different.length).toBeGreaterThan(0);
      expect((different.at(-1) ?? 0) - (different[0] ?? 0)).toBeLessThan(112);
    }
  });

  it("that are not there are reported with what to do", () => {
    expect(() => makeHttpLibraries(temporary().path, temporary().path)).toThrow("run npm ci");
  });
});
