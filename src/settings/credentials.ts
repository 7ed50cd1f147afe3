import { CREDENTIAL_PREFIX, type Credentials } from "../host/systemd/index.js";

const TLS_CREDENTIALS = [
  ["tlsCertificate", "nvrd.tls-certificate"],
  ["tlsKey", "nvrd.tls-key"],
] as const;
type CredentialSetting =
  | (typeof TLS_CREDENTIALS)[number][0]
  | "ldapServiceDn"
  | "ldapServicePasswordFile"
  | "bucketEndpoint"
  | "bucketSecretKeyFile"
  | "hubStore"
  | "hubStoreSecretKeyFile"
  | "oidcIssuer"
  | "oidcClientSecretFile"
  | "mqttLogin"
  | "mqttPasswordFile";

/** The name of the credential if a value is `credential:NAME` instead of a file. */
export function namedCredential(value: unknown): string | undefined {
  const text = String(value);
  return text.startsWith(CREDENTIAL_PREFIX) ? text.slice(CREDENTIAL_PREFIX.length) : undefined;
}

/** The problem text for a value that names a missing credential. */
export function absentCredential(value: string): string {
  return `${value}: there is no such credential; pass it with LoadCredential= in the unit`;
}

/**
 * The credential files for settings without a value: the TLS pair, and the passwords of configured accounts.
 */
export function givenCredentials(
  credentials: Credentials,
  isGiven: (name: CredentialSetting) => boolean,
): (readonly [CredentialSetting, string])[] {
  const wanted: (readonly [CredentialSetting, string])[] = [];
  if (!isGiven("tlsCertificate") && !isGiven("tlsKey")) wanted.push(...TLS_CREDENTIALS);
  if (isGiven("ldapServiceDn") && !isGiven("ldapServicePasswordFile"))
    wanted.push(["ldapServicePasswordFile", "nvrd.ldap-password"]);
  if (isGiven("mqttLogin") && !isGiven("mqttPasswordFile"))
    wanted.push(["mqttPasswordFile", "nvrd.mqtt-password"]);
  if (isGiven("bucketEndpoint") && !isGiven("bucketSecretKeyFile"))
    wanted.push(["bucketSecretKeyFile", "nvrd.bucket-secret-key"]);
  if (isGiven("hubStore") && !isGiven("hubStoreSecretKeyFile"))
    wanted.push(["hubStoreSecretKeyFile", "nvrd.hub-store-secret-key"]);
  if (isGiven("oidcIssuer") && !isGiven("oidcClientSecretFile"))
    wanted.push(["oidcClientSecretFile", "nvrd.oidc-client-secret"]);
  return wanted.flatMap(([name, credential]) => {
    const file = credentials.fileOf(credential);
    return file === undefined ? [] : [[name, file] as const];
  });
}
