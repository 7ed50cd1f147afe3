import { userInfo } from "node:os";
import { EXIT, NvrdError } from "../base/index.js";
import { readPasswordReset, runPasswordReset } from "../service/control/index.js";
import { loadSettings } from "../settings/index.js";
import { LmdbSiteStore, ROOT_USER_NAME } from "../site/index.js";
import type { PasswordLine } from "./command-line.js";
import { withOfflineStore } from "./offline-store.js";
import { throughServiceOrOffline } from "./service-or-offline.js";

const PERSON_LENGTH_MAX = 64;

/** `nvrd password reset`: root gets another password, which is printed. Resolves with the exit status. */
export async function passwordCommand(line: PasswordLine): Promise<number> {
  const { dataDir } = loadSettings({ flags: line.flags, environment: process.env });
  if (!LmdbSiteStore.exists(dataDir))
    throw new NvrdError("SETTINGS_INVALID", `dataDir: there is no configuration in ${dataDir}`);
  const request = { person: (line.by ?? userInfo().username).slice(0, PERSON_LENGTH_MAX) };
  const { file, password } = await throughServiceOrOffline({
    dataDir,
    command: "password-reset",
    arguments: request,
    offline: () => withOfflineStore(dataDir, (store) => runPasswordReset({ store, dataDir }, request)),
    readResult: readPasswordReset,
  });
  const text = [
    `the user ${ROOT_USER_NAME} has the password ${password}`,
    `  it is stored in ${file}; log in with it and choose another, then that file goes`,
  ];
  process.stdout.write(line.quiet ? "" : `${text.join("\n")}\n`);
  return EXIT.done;
}
