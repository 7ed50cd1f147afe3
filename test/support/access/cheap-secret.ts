import { randomBytes, scryptSync } from "node:crypto";

/** A thousandth of what a recorder takes. */
const COST = { N: 16, r: 8, p: 1 };

/**
 * The stored secret of a password, as `hashPassword` makes it but for its cost: what is checked against it takes microseconds in
 * place of 40 ms. For tests in which a login is only the way in.
 */
export function cheapSecret(md5Hex: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(md5Hex, salt, 32, COST);
  return `scrypt$${COST.N}$${COST.r}$${COST.p}$${salt.toString("base64url")}$${hash.toString("base64url")}`;
}
