import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { runTool, script } from "../support/image/image-parts.js";

const KERNEL = "6.12.0-1-arm64";

const directory = new TemporaryDirectory("tryboot-module");
afterAll(() => directory.remove());

const { addTrybootModule, kernelOf } = await script<{
  addTrybootModule(place: { readonly tree: string; readonly kernel: string; readonly file: string }): void;
  kernelOf(base: string): string;
}>("image/tryboot-module.mjs");

function baseWith(...kernels: readonly string[]): string {
  const tree = directory.join(`base-${kernels.length}`);
  mkdirSync(join(tree, "usr/lib/modules"), { recursive: true });
  for (const kernel of kernels) mkdirSync(join(tree, "usr/lib/modules", kernel));
  runTool("tar", ["-C", tree, "-cf", `${tree}.tar`, "."]);
  return `${tree}.tar`;
}

describe("the kernel module of a Raspberry Pi", () => {
  it("is made for the kernel that the base has", () => {
    expect(kernelOf(baseWith(KERNEL))).toBe(KERNEL);
  });

  it("is made for no base of two kernels, or of none", () => {
    expect(() => kernelOf(baseWith(KERNEL, "6.13.0-1-arm64"))).toThrow("expected one kernel");
    expect(() => kernelOf(baseWith())).toThrow("found none");
  });

  it("lies where depmod finds it, and is loaded at each start", () => {
    const tree = directory.join("tree");
    const file = directory.join("nvrd_tryboot.ko");
    writeFileSync(file, "module\n");
    addTrybootModule({ tree, kernel: KERNEL, file });
    const read = (name: string) => readFileSync(join(tree, "usr/lib", name), "utf8");
    expect(read(`modules/${KERNEL}/updates/nvrd_tryboot.ko`)).toBe("module\n");
    expect(read("modules-load.d/nvrd-tryboot.conf")).toBe("nvrd_tryboot\n");
  });
});
