import {
  ensureRootPassword,
  ROOT_PASSWORD_FILE,
  type RootPassword,
  rootPasswordNotice,
} from "../../access/index.js";
import type { Log } from "../../base/index.js";
import { Credentials } from "../../host/systemd/index.js";
import type { SiteStore } from "../../site/index.js";

export interface FirstPasswordOptions {
  readonly store: SiteStore;
  readonly dataDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Shows a text to the installer once. */
  readonly announce: (text: string) => void;
  readonly log: Log;
}

/** The credential that may hold root's first password, besides the environment. */
const CREDENTIAL = "nvrd.root-password";

/**
 * Sets root's password at the first start: from the environment, from the credential of the service manager, or a random one,
 * which is announced once and stored in a file.
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
  // Announced at once: if a later part fails to start, the next start does not announce it again.
  const notice = rootPasswordNotice(root);
  if (notice !== undefined) announce(notice);
  if (root.generated)
    log.info(`root's first password was generated; it is in ${dataDir}/${ROOT_PASSWORD_FILE}`);
  return root;
}
