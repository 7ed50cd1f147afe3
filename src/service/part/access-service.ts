import path from "node:path";
import { KNOWN_LOGINS_FILE, LdapDirectory, SESSIONS_FILE, Sessions, SiteAccess } from "../../access/index.js";
import type { UserDirectory } from "../../api/index.js";
import type { Clock, Log } from "../../base/index.js";
import type { EventLog } from "../../event/index.js";
import { ldapSettings, type Settings } from "../../settings/index.js";
import type { SiteStore } from "../../site/index.js";
import { auditEvent } from "../report/event-mapping.js";

export interface AccessServiceOptions {
  readonly settings: Settings;
  readonly site: SiteStore;
  readonly events: Pick<EventLog, "raise">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Authentication, and who is logged in by a form. */
export interface AccessService {
  /** For an administrator who tries it. */
  readonly directory?: UserDirectory;
  readonly access: SiteAccess;
  readonly sessions: Sessions;
}

/** Authentication by the configuration and, if configured, an LDAP directory; audit entries become events. */
export function createAccess({ settings, site, events, clock, log }: AccessServiceOptions): AccessService {
  const ldap = ldapSettings(settings);
  const asked = ldap === undefined ? undefined : new LdapDirectory({ settings: ldap, clock, log });
  const directory = asked === undefined ? {} : { directory: asked };
  const sessions = new Sessions({ site, clock, log, file: path.join(settings.dataDir, SESSIONS_FILE) });
  const access = new SiteAccess({
    ...{ site, clock, log, sessions, ...directory },
    knownLoginsFile: path.join(settings.dataDir, KNOWN_LOGINS_FILE),
  });
  access.onAudit((entry) => events.raise(auditEvent(entry)));
  if (ldap === undefined || asked === undefined) return { access, sessions };
  return { access, sessions, directory: { settings: ldap, directory: asked } };
}
