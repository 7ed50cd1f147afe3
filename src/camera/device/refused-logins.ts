import { createHash, randomBytes } from "node:crypto";
import type { CameraFailure } from "../description/camera-failure.js";
import type { DeviceAccess } from "../description/device-access.js";

/** Most logins remembered; the oldest is forgotten. */
const LOGINS_MAX = 1024;

type Refused = Pick<DeviceAccess, "refusedMethod" | "refusedClocks">;
type Login = Pick<DeviceAccess, "address" | "login" | "password">;

/**
 * By which method, and stamped by which clocks, devices refused a login that somebody gave. One attempt tries one method, because the device counts
 * each; whoever gives the same login again has it tried by the other one.
 */
export class RefusedLogins {
  /** No password is kept here: the key holds its digest with a salt of this process. */
  readonly #salt = randomBytes(16);
  readonly #refused = new Map<string, Refused>();

  /** How the login was refused; empty: it was not. */
  of(login: Login): Refused {
    return this.#refused.get(this.#key(login)) ?? {};
  }

  note(login: Login, { loginMethod, loginClocks }: Pick<CameraFailure, "loginMethod" | "loginClocks">): void {
    if (loginMethod === "none") return;
    const key = this.#key(login);
    this.#refused.delete(key);
    this.#refused.set(key, { refusedMethod: loginMethod, refusedClocks: loginClocks });
    const [oldest] = this.#refused.keys();
    if (this.#refused.size > LOGINS_MAX && oldest !== undefined) this.#refused.delete(oldest);
  }

  #key({ address, login, password }: Login): string {
    const digest = createHash("sha256").update(this.#salt).update(password).digest("base64url");
    return JSON.stringify([address.toLowerCase(), login, digest]);
  }
}
