import {
  ChosenDirectory,
  forgetReadablePasswords,
  LdapDirectory,
  ReadablePasswords,
  Sessions,
  SiteAccess,
} from "../../access/index.js";
import type { Clock, Log } from "../../base/index.js";
import type { EventLog } from "../../event/index.js";
import { ldapSettings, type Settings } from "../../settings/index.js";
import type { SiteStore } from "../../site/index.js";
import { auditEvent } from "../report/event-mapping.js";

export interface AccessServiceOptions {
  readonly settings: Settings;
  readonly site: SiteStore;
  readonly events: Pick<EventLog, "raise">;
  /** Passwords of users who may log in by digest. */
  readonly readable: ReadablePasswords | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Without users for ONVIF no password remains from a time with them. */
export async function forgetPasswordsOfNobody(settings: Settings, log: Log): Promise<void> {
  if (settings.onvifUsers.length > 0) return;
  await forgetReadablePasswords(settings.dataDir, log);
}

/** The passwords of those who may use ONVIF; undefined: nobody may. */
export function createReadablePasswords(
  options: Pick<AccessServiceOptions, "settings" | "site" | "clock" | "log">,
): ReadablePasswords | undefined {
  const { settings, site, clock, log } = options;
  const { onvifUsers: users, dataDir } = settings;
  if (users.length === 0) return undefined;
  return new ReadablePasswords({
    users,
    dataDir,
    site,
    clock,
    log,
  });
}

/** Authentication, and who is logged in by a form. */
export interface AccessService {
  /** For an administrator who sets it up. */
  readonly directory: ChosenDirectory;
  readonly access: SiteAccess;
  readonly sessions: Sessions;
}

/** Authentication by the configuration and, where there is one, an LDAP directory; audit entries become events. */
export function createAccess(options: AccessServiceOptions): AccessService {
  const { settings, site, events, readable, clock, log } = options;
  const directory = new ChosenDirectory({
    site,
    ofFile: ldapSettings(settings),
    make: (ldap) => new LdapDirectory({ settings: ldap, clock, log }),
  });
  const sessions = new Sessions({
    ...{ site, clock, log, dataDir: settings.dataDir },
    directoryMark: () => directory.mark,
  });
  const access = new SiteAccess({
    ...{ site, clock, log, sessions },
    ...(readable === undefined ? {} : { readable }),
    dataDir: settings.dataDir,
  });
  access.onAudit((entry) => events.raise(auditEvent(entry)));
  access.useDirectory(directory.now?.directory);
  directory.onChange(() => {
    access.useDirectory(directory.now?.directory);
    sessions.endOver();
  });
  return { access, sessions, directory };
}
