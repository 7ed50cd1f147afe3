import { createHash, randomInt } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import {
  errorText,
  type Log,
  NotAFile,
  NvrdError,
  newGuid,
  readSmallFileLater,
  replaceSmallFile,
} from "../base/index.js";
import { PASSWORD_LENGTH_MAX } from "../contract/index.js";
import {
  type ChangeAuthor,
  LOCKED_SECRET,
  ROOT_USER_NAME,
  type Site,
  type SiteStore,
} from "../site/index.js";
import { deriveWithScrypt, hashNewPassword, matchesSecret } from "./password-secret.js";

/** The file with a generated password, in the data directory. */
export const ROOT_PASSWORD_FILE = "root-password";

const FILE_MODE = 0o600;
/** Without letters and digits that look alike, because the password is read from a screen. */
const PASSWORD_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";
/** 32 characters in the alphabet, 5 bits each: 100 bits. */
const PASSWORD_LENGTH = 20;

export interface RootPasswordOptions {
  readonly store: SiteStore;
  readonly dataDir: string;
  /** The value of NVRD_ROOT_PASSWORD; used only at the first start. */
  readonly fromEnvironment?: string | undefined;
}

export interface RootPassword {
  /** Whether this call generated a password, which must be printed once. */
  readonly generated: boolean;
  /** The file with root's generated password, while that password is valid. */
  readonly file?: string;
  /** The password, if this call generated it. */
  readonly password?: string;
  /** Whether root's password is the one from the environment, found out when it is asked: that takes one scrypt. */
  readonly isFromEnvironment?: () => Promise<boolean>;
}

/**
 * Sets root's first password: the one from the environment, or a random one, which is stored in a file that only the service
 * can read. Does nothing if root has a password. Rejects with SETTINGS_INVALID if the password is not acceptable.
 */
export async function ensureRootPassword(options: RootPasswordOptions): Promise<RootPassword> {
  const { store, dataDir, fromEnvironment } = options;
  const file = path.join(dataDir, ROOT_PASSWORD_FILE);
  const kept = await keptPassword(file);
  if (rootSecret(store.current) !== LOCKED_SECRET) {
    const secret = rootSecret(store.current);
    const isRoots = async (password: string | undefined) =>
      password !== undefined && (await matchesSecret(md5(password), secret, deriveWithScrypt));
    const isFromEnvironment = () => isRoots(fromEnvironment);
    const result = { generated: false, ...(fromEnvironment === undefined ? {} : { isFromEnvironment }) };
    // The file may be older than the password.
    const isFile = kept !== undefined && !(await isFromEnvironment()) && (await isRoots(kept));
    return { ...result, ...(isFile ? { file } : {}) };
  }
  if (fromEnvironment !== undefined) {
    checkPassword(fromEnvironment);
    await setRootSecret(store, await hashNewPassword(fromEnvironment));
    return { generated: false, isFromEnvironment: () => Promise.resolve(true) };
  }
  // The file is written first: after a crash in between, the next start sets the password in the file.
  const password = kept ?? randomPassword();
  if (kept === undefined) await keepPassword(file, password);
  await setRootSecret(store, await hashNewPassword(password));
  return { generated: true, file, password };
}

export interface PasswordReset {
  readonly store: SiteStore;
  readonly dataDir: string;
  /** Who has asked for it, as the history shows it. */
  readonly by: ChangeAuthor;
}

/**
 * Gives root another generated password, for an owner who has lost it: whoever calls this has the machine. The file that holds
 * it makes it a first password: the page asks root for an own one. A root that was deleted, or is no senior administrator any
 * more, is one again. All of root's sessions end. Rejects with NvrdError of the store.
 */
export async function resetRootPassword({ store, dataDir, by }: PasswordReset): Promise<NewRootPassword> {
  const file = path.join(dataDir, ROOT_PASSWORD_FILE);
  const password = randomPassword();
  const secret = await hashNewPassword(password);
  // The file is written first: after a crash in between, it has a password that is not valid, and goes at the next start.
  await keepPassword(file, password);
  const summary = `password of ${ROOT_USER_NAME} reset on the machine`;
  await store.change((site) => withRoot(site, secret), { by, summary });
  return { file, password };
}

export interface NewRootPassword {
  readonly file: string;
  readonly password: string;
}

/** Root with this secret, as a senior administrator. */
function withRoot(site: Site, secret: string): Site {
  const administrators = site.groups.filter(({ seniorAdministrators }) => seniorAdministrators);
  const [first] = administrators;
  if (first === undefined)
    throw new NvrdError("CONFLICT", "the configuration has no group of senior administrators", {
      hint: "nvrd config history shows when it was lost; nvrd config revert N brings it back",
    });
  const root = site.users.find(({ name }) => name === ROOT_USER_NAME);
  const groupId = administrators.some(({ id }) => id === root?.groupId) ? root?.groupId : first.id;
  const next = { id: root?.id ?? newGuid(), name: ROOT_USER_NAME, groupId: groupId ?? first.id, secret };
  const others = site.users.filter(({ name }) => name !== ROOT_USER_NAME);
  return {
    ...site,
    users: root === undefined ? [next, ...others] : site.users.map((user) => (user === root ? next : user)),
  };
}

export interface StalePasswordOptions {
  readonly store: Pick<SiteStore, "current" | "onChange">;
  readonly dataDir: string;
  readonly log: Log;
  /** Whether `ensureRootPassword` has found out that the file has root's present password. */
  readonly isValid: boolean;
}

/**
 * Removes the file with the generated password once root has another one, whoever changed it and however: a password in a
 * file that is not valid any more only misleads, and may be in use elsewhere.
 */
export class StalePasswordFile {
  readonly #options: StalePasswordOptions;
  readonly #file: string;
  #looking: Promise<void> = Promise.resolve();
  /** Root's secret when the file was last looked at. */
  #secret: string | null | undefined;

  constructor(options: StalePasswordOptions) {
    this.#options = options;
    this.#file = path.join(options.dataDir, ROOT_PASSWORD_FILE);
  }

  start(): void {
    const { store, isValid } = this.#options;
    store.onChange("root-password", () => this.#follow());
    if (isValid) this.#secret = rootSecret(store.current);
    else this.#follow();
  }

  /** Resolves when a look under way is done. */
  async stop(): Promise<void> {
    await this.#looking;
  }

  #follow(): void {
    const secret = rootSecret(this.#options.store.current);
    if (secret === this.#secret) return;
    this.#secret = secret;
    this.#looking = this.#looking.then(() => this.#look(secret));
  }

  /** Never rejects. */
  async #look(secret: string | null | undefined): Promise<void> {
    const { log } = this.#options;
    const file = this.#file;
    try {
      const kept = await keptPassword(file);
      if (kept === undefined || secret === LOCKED_SECRET) return;
      if (await matchesSecret(md5(kept), secret, deriveWithScrypt)) return;
      await rm(file, { force: true });
      log.info({ file }, "root has another password: the file with the generated one was removed");
    } catch (error) {
      log.warn({ file, reason: errorText(error) }, "the file with root's former password cannot be removed");
    }
  }
}

/** The text to print once for a generated password; undefined if there is none. */
export function rootPasswordNotice(result: RootPassword): string | undefined {
  if (!result.generated || result.password === undefined) return undefined;
  const hash = md5(result.password);
  return [
    `first start: the user ${ROOT_USER_NAME} has the password ${result.password}`,
    `  it is stored in ${result.file}; this is the only time it is printed`,
    `  API clients send its MD5: login=${ROOT_USER_NAME}&password=${hash}`,
  ].join("\n");
}

function rootSecret(site: Site): string | null | undefined {
  return site.users.find((user) => user.name === ROOT_USER_NAME)?.secret;
}

async function setRootSecret(store: SiteStore, secret: string): Promise<void> {
  await store.change((site) => ({
    ...site,
    users: site.users.map((user) => (user.name === ROOT_USER_NAME ? { ...user, secret } : user)),
  }));
}

function checkPassword(password: string): void {
  const usable = password.length > 0 && password.length <= PASSWORD_LENGTH_MAX && !/\p{Cc}/u.test(password);
  if (usable) return;
  const accepted = `accepted: 1 to ${PASSWORD_LENGTH_MAX} characters without control characters`;
  throw new NvrdError("SETTINGS_INVALID", `NVRD_ROOT_PASSWORD: ${accepted}`);
}

function randomPassword(): string {
  return Array.from(
    { length: PASSWORD_LENGTH },
    () => PASSWORD_ALPHABET[randomInt(PASSWORD_ALPHABET.length)],
  ).join("");
}

async function keptPassword(file: string): Promise<string | undefined> {
  const text = await readSmallFileLater(file).catch((error: unknown) => {
    if (error instanceof NotAFile) return undefined;
    throw error;
  });
  const password = text?.trim();
  return password === undefined || password === "" ? undefined : password.slice(0, PASSWORD_LENGTH_MAX);
}

async function keepPassword(file: string, password: string): Promise<void> {
  await replaceSmallFile(file, `${password}\n`, FILE_MODE);
}

function md5(password: string): string {
  return createHash("md5").update(password, "utf8").digest("hex");
}
