import { OidcLogins, type Principal, type SiteAccess, SitePrincipals } from "../../access/index.js";
import { type Clock, type Log, NvrdError } from "../../base/index.js";
import type { OidcControl } from "../../owner/index.js";
import { oidcSettings, type Settings } from "../../settings/index.js";
import type { SiteStore } from "../../site/index.js";
import { lineOf, textOf } from "./setting-files.js";

export interface OidcServiceOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly access: () => Pick<SiteAccess, "refusedByProvider">;
}

/** Logins at a provider, and which of its users have a group here. */
export class OidcService implements OidcControl {
  readonly #options: OidcServiceOptions;
  readonly #logins: OidcLogins;

  constructor(logins: OidcLogins, options: OidcServiceOptions) {
    this.#logins = logins;
    this.#options = options;
  }

  get label(): string {
    return this.#logins.label;
  }

  /** What tells the provider of now from any other one. */
  get mark(): string {
    return this.#logins.mark;
  }

  /** See `OidcLogins`. */
  share(takeElsewhere: (key: string) => Promise<string | undefined>): void {
    this.#logins.share(takeElsewhere);
  }

  takeFor(key: string): string | undefined {
    return this.#logins.takeFor(key);
  }

  async begin() {
    return await this.#logins.begin();
  }

  async finish({ ticket, query, address }: Parameters<OidcControl["finish"]>[0]): Promise<Principal> {
    const { site, access } = this.#options;
    let login = "";
    try {
      const { name, directoryUser } = await this.#logins.finish(ticket, query);
      login = name;
      const principal = new SitePrincipals(site.current).directoryPrincipal(name, directoryUser);
      if (principal !== undefined) return principal;
      throw new NvrdError("UNAUTHORIZED", `none of the groups of ${name} has rights here`, {
        hint: "name one of them among the directory groups of a group",
      });
    } catch (error) {
      if (error instanceof NvrdError && error.code === "UNAUTHORIZED")
        access().refusedByProvider(login, address);
      throw error;
    }
  }
}

/** Undefined: there is no provider. Throws NvrdError SETTINGS_INVALID where a file of the settings cannot be used. */
export function oidcLogins(settings: Settings, clock: Clock, log: Log): OidcLogins | undefined {
  const provider = oidcSettings(settings);
  if (provider === undefined) return undefined;
  const { oidcClientSecretFile: file, oidcCaFile } = settings;
  return new OidcLogins({
    settings: {
      ...provider,
      clientSecret: file === undefined ? "" : lineOf("oidcClientSecretFile", file),
      authority: textOf("oidcCaFile", oidcCaFile),
    },
    ...{ clock, log },
  });
}
