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
import type { Site, SiteStore } from "../../site/index.js";
import { auditEvent } from "../report/event-mapping.js";
import { OidcService, oidcLogins } from "./oidc-service.js";
import { onvifUsers } from "./onvif-users.js";

export interface AccessServiceOptions {
  readonly settings: Settings;
  readonly site: SiteStore;
  readonly events: Pick<EventLog, "raise">;
  /** Passwords of users who may log in by digest. */
  readonly readable: ReadablePasswords;
  readonly clock: Clock;
  readonly log: Log;
}

/** Without users for ONVIF no password remains from a time with them. */
export async function forgetPasswordsOfNobody(settings: Settings, site: Site, log: Log): Promise<void> {
  if (onvifUsers(settings, site).length > 0) return;
  await forgetReadablePasswords(settings.dataDir, log);
}

/** The passwords of those who may use ONVIF. */
export function createReadablePasswords(
  options: Pick<AccessServiceOptions, "settings" | "site" | "clock" | "log">,
): ReadablePasswords {
  const { settings, site, clock, log } = options;
  const users = (): readonly string[] => onvifUsers(settings, site.current);
  return new ReadablePasswords({ users, dataDir: settings.dataDir, site, clock, log });
}

/** Authentication, and who is logged in by a form. */
export interface AccessService {
  /** For an administrator who sets it up. */
  readonly directory: ChosenDirectory;
  readonly access: SiteAccess;
  readonly sessions: Sessions;
  /** Undefined: there is no provider of logins. */
  readonly oidc: OidcService | undefined;
}

/** Authentication by the configuration and, where there is one, an LDAP directory; audit entries become events. */
export function createAccess(options: AccessServiceOptions): AccessService {
  const { settings, site, events, readable, clock, log } = options;
  const directory = new ChosenDirectory({
    site,
    ofFile: ldapSettings(settings),
    make: (ldap) => new LdapDirectory({ settings: ldap, clock, log }),
  });
  const logins = oidcLogins(settings, clock, log);
  const oidc = logins === undefined ? undefined : new OidcService(logins, { site, access: () => access });
  const sessions = new Sessions({
    ...{ site, clock, log, dataDir: settings.dataDir },
    directoryMark: ({ provider }) => (provider === "oidc" ? oidc?.mark : directory.mark),
  });
  const access: SiteAccess = new SiteAccess({
    ...{ site, clock, log, sessions },
    readable,
    dataDir: settings.dataDir,
  });
  access.onAudit((entry) => events.raise(auditEvent(entry)));
  access.useDirectory(directory.now?.directory);
  directory.onChange(() => {
    access.useDirectory(directory.now?.directory);
    sessions.endOver();
  });
  return { access, sessions, directory, oidc };
}
