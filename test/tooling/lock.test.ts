import { describe, expect, it } from "vitest";
import { completed, missingEntries } from "../../scripts/complete-lock.mjs";

const lockWith = (optionalDependencies: Record<string, string>, more: object = {}) => ({
  packages: { "": {}, "node_modules/a": { version: "1.0.0", dev: true, optionalDependencies }, ...more },
});

describe("completing the lock", () => {
  it("adds a package of another platform with its version and platform", () => {
    expect(missingEntries(lockWith({ "@a/cli-linux-arm64-musl": "1.2.3" }))).toEqual({
      "node_modules/@a/cli-linux-arm64-musl": {
        version: "1.2.3",
        dev: true,
        optional: true,
        cpu: ["arm64"],
        libc: ["musl"],
        os: ["linux"],
      },
    });
  });

  it.each(["node_modules/@a/win32-x64", "node_modules/a/node_modules/@a/win32-x64"])(
    "leaves one at %s as it is",
    (path) => {
      const lock = lockWith({ "@a/win32-x64": "1.2.3" }, { [path]: { version: "1.2.3" } });
      expect(missingEntries(lock)).toEqual({});
      expect(completed(lock)).toEqual(lock);
    },
  );

  it("refuses one whose name tells no platform", () => {
    expect(() => missingEntries(lockWith({ fast: "1.2.3" }))).toThrow("tells no platform");
  });

  it("refuses one whose version is open", () => {
    expect(() => missingEntries(lockWith({ "@a/win32-x64": ">=1" }))).toThrow("no version");
  });
});
