import { describe, expect, it } from "vitest";
import {
  type DeriveKey,
  deriveWithScrypt,
  hashPassword,
  matchesSecret,
} from "../../src/access/password-secret.js";
import { md5 } from "../support/access/access-bench.js";

describe("a stored secret", () => {
  it("is a salted scrypt that says its cost, and matches its password alone", async () => {
    const [one, two] = [await hashPassword(md5("secret")), await hashPassword(md5("secret").toUpperCase())];
    expect(one).toMatch(/^scrypt\$16384\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(one).not.toBe(two);
    for (const secret of [one, two]) {
      expect(await matchesSecret(md5("secret"), secret, deriveWithScrypt)).toBe(true);
      expect(await matchesSecret(md5("other"), secret, deriveWithScrypt)).toBe(false);
    }
  });

  it("is only made of an MD5", async () => {
    await expect(hashPassword("secret")).rejects.toThrow(RangeError);
  });

  it.each([
    [
      "a huge cost",
      "scrypt$1073741824$8$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    ],
    [
      "a cost that is no power of two",
      "scrypt$1000$8$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    ],
    ["no hash", "scrypt$16384$8$1$AAAAAAAAAAAAAAAAAAAAAA$"],
    ["another scheme", "plain$secret"],
    ["locked", "locked"],
  ])("with %s matches nothing, for the same work", async (_name, secret) => {
    const costs: number[] = [];
    const derive: DeriveKey = async (_password, _salt, cost) => {
      costs.push(cost.N);
      return new Uint8Array(32);
    };
    expect(await matchesSecret(md5("secret"), secret, derive)).toBe(false);
    expect(costs).toEqual([16_384]);
  });
});
