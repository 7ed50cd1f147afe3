import {
  ensureRootPassword,
  ROOT_PASSWORD_FILE,
  type RootPassword,
  rootPasswordNotice,
} from "../../access/index.js";
import type { Log } from "../../base/index.js";
import type { SiteStore } from "../../site/index.js";
import { Credentials } from "../../systemd/index.js";

export interface FirstPasswordOptions {
  readonly store: SiteStore;
  readonly dataDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Gets what the installer must see once. */
  readonly announce: (text: string) => void;
  readonly log: Log;
}

/** Where somebody may have chosen root's first password, beside the environment. */
const CREDENTIAL = "nvrd.root-password";

/**
 * Gives root its first password, at the first start alone: that of the environment, or the one that the service manager
 * handed over, or a random one, which is announced once and kept in a file.
 */
export async function giveRootPassword(options: FirstPasswordOptions): Promise<RootPassword> {
  const { store, dataDir, environment, announce, log } = options;
  const credentials = new Credentials(environment.CREDENTIALS_DIRECTORY);
  const fromEnvironment = environment.NVRD_ROOT_PASSWORD ?? credentials.textOf(CREDENTIAL);
  const root = await ensureRootPassword({
    store,
    dataDir,
    ...(fromEnvironment === undefined ? {} : { fromEnvironment }),
  });
  // At once: if a later part does not start, the next start has nothing more to say.
  const notice = rootPasswordNotice(root);
  if (notice !== undefined) announce(notice);
  if (root.generated)
    log.info(`root's first password was generated; it is in ${dataDir}/${ROOT_PASSWORD_FILE}`);
  return root;
}
