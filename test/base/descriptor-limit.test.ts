import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DESCRIPTORS_UNKNOWN, memoryUsage, readDescriptorLimit } from "../../src/base/index.js";
import { forEachTest } from "../support/base/for-tests.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

const directory = forEachTest(() => new TemporaryDirectory("descriptors"));

const limitOf = (text: string): number => {
  const file = `${directory.path}/limits`;
  writeFileSync(file, text);
  return readDescriptorLimit(file);
};

describe("the limit of open files", () => {
  it("is the soft one of the kernel's table", () => {
    const head = "Limit                     Soft Limit           Hard Limit           Units\n";
    expect(
      limitOf(`${head}Max open files            4096                 1048576              files\n`),
    ).toBe(4096);
    expect(
      limitOf(`${head}Max open files            unlimited            unlimited            files\n`),
    ).toBe(Number.MAX_SAFE_INTEGER);
  });

  it("is the usual one where nothing is said", () => {
    expect(limitOf("")).toBe(DESCRIPTORS_UNKNOWN);
    expect(readDescriptorLimit(`${directory.path}/none`)).toBe(DESCRIPTORS_UNKNOWN);
  });

  it("of this process is known", () => {
    expect(readDescriptorLimit()).toBeGreaterThan(100);
  });
});

describe("the memory of the process", () => {
  const noDescriptor = (): never => {
    throw Object.assign(new Error("EMFILE: too many open files, uv_resident_set_memory"), { code: "EMFILE" });
  };

  it("is as it was read last while no descriptor is free", () => {
    const before = memoryUsage();
    expect(memoryUsage(noDescriptor)).toEqual(before);
  });

  it("is not known when it cannot be read for another reason", () => {
    const fault = (): never => {
      throw new Error("another");
    };
    expect(() => memoryUsage(fault)).toThrow("another");
  });
});
