import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeKeptUpdateKeys, updateKeys } from "../../../scripts/update-keys.mjs";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

let root: TemporaryDirectory;

beforeEach(() => {
  root = new TemporaryDirectory("update-keys");
});
afterEach(() => root.remove());

describe("keys of updates that are kept", () => {
  it("are those that the environment beside them names, and no development key", () => {
    const folder = root.join("kept keys");
    makeKeptUpdateKeys(folder);
    const print = `. "${folder}/environment"; printf '%s\\n' "$NVRD_UPDATE_KEY" "$NVRD_UPDATE_CERT" "$NVRD_UPDATE_KEYRING"`;
    const [key, cert, keyring] = execFileSync("sh", ["-c", print], { encoding: "utf8" }).trim().split("\n");
    const env = { NVRD_UPDATE_KEY: key, NVRD_UPDATE_CERT: cert, NVRD_UPDATE_KEYRING: keyring };
    expect(updateKeys(root.path, env)).toEqual({ key, cert, keyring, isDevelopment: false });
    const verified = execFileSync("openssl", ["verify", "-CAfile", `${keyring}`, `${cert}`], {
      encoding: "utf8",
    });
    expect(verified).toContain(": OK");
  });

  it("are never made over others", () => {
    const folder = root.join("keys");
    makeKeptUpdateKeys(folder);
    expect(() => makeKeptUpdateKeys(folder)).toThrow(/there already/);
  });
});
