import { hash } from "node:crypto";
import type { DirectorySettings, SiteStore } from "../site/index.js";
import type { Directory } from "./ldap/directory.js";
import type { LdapSettings } from "./ldap/ldap-directory.js";

/** Who says which directory is asked: the configuration, else the settings file. */
export type DirectorySource = "configuration" | "settings file" | "nobody";

export interface ChosenDirectoryOptions {
  readonly site: Pick<SiteStore, "current" | "onChange">;
  /** The directory of the settings file. */
  readonly ofFile: LdapSettings | undefined;
  readonly make: (settings: LdapSettings) => Directory;
}

/** A directory, and what it was made of. */
interface MadeDirectory {
  readonly settings: LdapSettings;
  readonly directory: Directory;
}

/** The directory of users that holds now. The configuration counts where it says anything, else the settings file. */
export class ChosenDirectory {
  readonly #options: ChosenDirectoryOptions;
  readonly #listeners: (() => void)[] = [];
  #made: MadeDirectory | undefined;
  #mark: string | undefined;

  constructor(options: ChosenDirectoryOptions) {
    this.#options = options;
    this.#follow();
    options.site.onChange("directory", (site, previous) => {
      if (site.directory === previous.directory) return;
      const before = this.#made;
      this.#follow();
      if (this.#made !== before) for (const listener of this.#listeners) listener();
    });
  }

  /** Undefined: there are no directory users. */
  get now(): MadeDirectory | undefined {
    return this.#made;
  }

  /** Changes when other users may be known, or known by other words; undefined: there is no directory. */
  get mark(): string | undefined {
    return this.#mark;
  }

  get source(): DirectorySource {
    const { site, ofFile } = this.#options;
    if (site.current.directory !== undefined) return "configuration";
    return ofFile === undefined ? "nobody" : "settings file";
  }

  /** That of the settings file, whether it holds or not. */
  get ofFile(): LdapSettings | undefined {
    return this.#options.ofFile;
  }

  /** One to be tried, which nobody logs in by. */
  make(settings: LdapSettings): Directory {
    return this.#options.make(settings);
  }

  /** Calls `listener` after `now` has become another one. It must not throw. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #follow(): void {
    const { site, ofFile, make } = this.#options;
    const { directory: own } = site.current;
    const settings = own === undefined ? ofFile : own.isEnabled ? ldapOf(own) : undefined;
    if (JSON.stringify(settings) === JSON.stringify(this.#made?.settings)) return;
    this.#made = settings === undefined ? undefined : { settings, directory: make(settings) };
    this.#mark = settings === undefined ? undefined : markOf(settings);
  }
}

/** The configuration's directory as it is asked, whether it is enabled or not. */
export function ldapOf(directory: DirectorySettings): LdapSettings {
  const { url, startTls, baseDn, bindDnTemplate, userFilter, groupAttribute, timeoutMs } = directory;
  const { authority: ca, groupFilter, serviceDn: dn, servicePassword: password } = directory;
  return {
    ...{ url, startTls, baseDn, bindDnTemplate, userFilter, groupAttribute, timeoutMs },
    ...(ca === "" ? {} : { ca }),
    ...(groupFilter === "" ? {} : { groupFilter }),
    ...(dn === "" ? {} : { service: { dn, password } }),
  };
}

/** Neither how long it is waited for, nor the password of an account, makes it another directory. */
function markOf({ timeoutMs, service, ...settings }: LdapSettings): string {
  return hash("sha256", `directory ${JSON.stringify({ ...settings, service: service?.dn })}`, "base64url");
}
