import { createHash, randomBytes } from "node:crypto";
import type { CameraFailure, LoginMethod } from "../description/camera-failure.js";
import type { DeviceAccess } from "../description/device-access.js";

/** Most logins remembered; the oldest is forgotten. */
const LOGINS_MAX = 1024;

type Login = Pick<DeviceAccess, "address" | "login" | "password">;

/**
 * By which method devices refused a login that somebody gave. One attempt tries one method, because the device counts
 * each; whoever gives the same login again has it tried by the other one.
 */
export class RefusedLogins {
  /** No password is kept here: the key holds its digest with a salt of this process. */
  readonly #salt = randomBytes(16);
  readonly #methods = new Map<string, LoginMethod>();

  /** The method that was refused; undefined: none was. */
  methodOf(login: Login): LoginMethod | undefined {
    return this.#methods.get(this.#key(login));
  }

  note(login: Login, { loginMethod }: Pick<CameraFailure, "loginMethod">): void {
    if (loginMethod === "none") return;
    const key = this.#key(login);
    this.#methods.delete(key);
    this.#methods.set(key, loginMethod);
    const [oldest] = this.#methods.keys();
    if (this.#methods.size > LOGINS_MAX && oldest !== undefined) this.#methods.delete(oldest);
  }

  #key({ address, login, password }: Login): string {
    const digest = createHash("sha256").update(this.#salt).update(password).digest("base64url");
    return JSON.stringify([address.toLowerCase(), login, digest]);
  }
}
