import { copyFileSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { forAllTests } from "../support/base/for-tests.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { MODULES_PROGRAM } from "../support/service/program.js";
import { Service } from "../support/service/service.js";

let copies = 0;

const directory = forAllTests(() => new TemporaryDirectory("bundle"));

/** The program of a copy of this checkout's bundle. */
function copiedProgram(change: (bundle: string) => void): string {
  const folder = directory.join(`copy-${++copies}`);
  mkdirSync(join(folder, "bin"), { recursive: true });
  for (const name of ["bin/nvrd", "bin/package.json"])
    copyFileSync(join(REPOSITORY_ROOT, name), join(folder, name));
  copyFileSync(join(REPOSITORY_ROOT, "package.json"), join(folder, "package.json"));
  cpSync(join(REPOSITORY_ROOT, "bundle"), join(folder, "bundle"), { recursive: true });
  for (const name of ["node_modules", "build", "src"])
    symlinkSync(join(REPOSITORY_ROOT, name), join(folder, name));
  change(join(folder, "bundle"));
  return join(folder, "bin/nvrd");
}

/** What can be seen of a program: what it answers, and how it ends. */
async function behaviourOf(program: string): Promise<unknown> {
  const service = await Service.start({ dataDir: directory.join(`data-${++copies}`), program });
  const read = () => service.json<{ Versions: { Libav: string | null } }>("/api/health");
  // The codec is loaded behind the start.
  await expect.poll(async () => (await read()).Versions.Libav).not.toBeNull();
  const health = await read();
  const page = await service.get("/");
  const missing = await service.get("/site?channelid=nothing");
  await service.stop();
  return {
    versions: health.Versions,
    members: Object.keys(health),
    page: [page.status, page.headers["content-type"]],
    missing: [missing.status, missing.body.toString()],
    exit: service.process.exit,
    // The machine's clock may be stepped by others. A volume is taken on a thread of its own, sooner or later than the API is there.
    lines: service.log.match(/"msg":"(?!the wall clock)[^"]+"/g)?.sort(),
  };
}

it("the bundle does what the files of dist/ do, from the start to the end", async () => {
  expect(await behaviourOf(copiedProgram(() => undefined))).toEqual(await behaviourOf(MODULES_PROGRAM));
});

it("a bundle without its code cache or source lines, or with damaged ones, does the same", async () => {
  const whole = await behaviourOf(copiedProgram(() => undefined));
  const without = copiedProgram((bundle) => {
    for (const name of ["code.cache", "source-lines"]) rmSync(join(bundle, name), { force: true });
  });
  const damaged = copiedProgram((bundle) => {
    for (const name of ["code.cache", "source-lines"]) writeFileSync(join(bundle, name), "not what it was");
  });
  expect(await behaviourOf(without)).toEqual(whole);
  expect(await behaviourOf(damaged)).toEqual(whole);
});
