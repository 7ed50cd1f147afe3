/** Where certificates are asked for, and for which names. */
export interface AcmeSettings {
  /** The `https` address of the authority's directory (RFC 8555, 7.1.1). */
  readonly directoryUrl: string;
  /** Names of hosts, in lower case: all lead to this recorder. */
  readonly names: readonly string[];
  /** Where the authority writes to; undefined: nowhere. */
  readonly email: string | undefined;
  /** Certificates (PEM) of the only authorities that are trusted for connections to it; undefined: the usual ones. */
  readonly trust: string | undefined;
  /** An account that its owner has with the authority already (RFC 8555, 7.3.4). */
  readonly account: ExternalAccount | undefined;
}

export interface ExternalAccount {
  readonly keyId: string;
  /** A secret, in base64url. */
  readonly hmacKey: string;
}

/** Whether an account that was made for one is right for the other. */
export function isSameAccount(one: AcmeSettings, other: AcmeSettings): boolean {
  return one.directoryUrl === other.directoryUrl && one.account?.keyId === other.account?.keyId;
}
