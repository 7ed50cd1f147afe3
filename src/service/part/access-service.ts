import { LdapDirectory, SiteAccess } from "../../access/index.js";
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

/** Authentication by the configuration and, if configured, an LDAP directory; audit entries become events. */
export function createAccess({ settings, site, events, clock, log }: AccessServiceOptions): SiteAccess {
  const ldap = ldapSettings(settings);
  const directory =
    ldap === undefined ? {} : { directory: new LdapDirectory({ settings: ldap, clock, log }) };
  const access = new SiteAccess({ site, clock, log, ...directory });
  access.onAudit((entry) => events.raise(auditEvent(entry)));
  return access;
}
