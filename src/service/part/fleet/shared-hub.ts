import { createPrivateKey, hash, X509Certificate } from "node:crypto";
import { type Clock, errorText } from "../../../base/index.js";
import type { SharedHub } from "../../../fleet/index.js";
import { type KeyAndCertificate, reachableAddress } from "../../../http/index.js";
import { readHubAddress, type Settings } from "../../../settings/index.js";
import { invalidSetting, lineOf, textOf } from "../setting-files.js";

/** The settings of what several hubs share. */
export type SharedSettingName =
  | "hubStore"
  | "hubStoreRegion"
  | "hubStoreAccessKeyId"
  | "hubStoreSecretKeyFile"
  | "hubStoreCaFile"
  | "hubAuthorityFile"
  | "hubPeerAddress";

/** What this hub has together with others; undefined: it is alone. Rejects with NvrdError SETTINGS_INVALID where a file cannot be used. */
export async function sharedHub(
  settings: Pick<Settings, SharedSettingName | "listen">,
  clock: Clock,
): Promise<SharedHub | undefined> {
  const { hubStore, hubPeerAddress, listen } = settings;
  if (hubStore === undefined) return undefined;
  const { BucketHubStore } = await import("../../../fleet/index.js");
  const { origin, pathname } = new URL(hubStore);
  const [, bucket = "", prefix = ""] = /^\/([^/]+)\/(.*)$/.exec(pathname) ?? [];
  const target = {
    ...{
      endpoint: origin,
      bucket,
      prefix,
      region: settings.hubStoreRegion,
      style: "path" as const,
      proxy: "",
    },
    ...{ accessKeyId: settings.hubStoreAccessKeyId ?? "", sessionToken: "" },
    secretAccessKey: lineOf("hubStoreSecretKeyFile", settings.hubStoreSecretKeyFile),
    authority: textOf("hubStoreCaFile", settings.hubStoreCaFile),
  };
  const peer = readHubAddress(hubPeerAddress ?? "");
  return {
    store: new BucketHubStore(target, clock),
    authority: authorityOf(settings.hubAuthorityFile),
    peer: () => ({ host: peer?.host ?? reachableAddress(listen), port: peer?.port ?? 0 }),
  };
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/;
const KEY = /-----BEGIN (?:EC )?PRIVATE KEY-----[^-]+-----END (?:EC )?PRIVATE KEY-----/;

/** What the browsers' cookies of hubs that are one are named by; undefined: this hub is alone. */
export function sharedLoginsId(
  settings: Pick<Settings, "hubStore" | "hubAuthorityFile">,
): string | undefined {
  if (settings.hubStore === undefined) return undefined;
  return hash("sha256", authorityOf(settings.hubAuthorityFile).certificate.trim(), "hex");
}

/** Key and certificate of an authority in one file. Throws NvrdError SETTINGS_INVALID where they cannot be used. */
function authorityOf(file: string | undefined): KeyAndCertificate {
  const setting = "hubAuthorityFile";
  const text = textOf(setting, file);
  const [certificate, key] = [CERTIFICATE.exec(text)?.[0], KEY.exec(text)?.[0]];
  if (certificate === undefined || key === undefined)
    throw invalidSetting(setting, `${file ?? ""} has no key and certificate (PEM, not encrypted)`);
  try {
    const read = new X509Certificate(certificate);
    const secret = createPrivateKey(key);
    if (!read.ca || !read.checkPrivateKey(secret)) throw new TypeError("the key is not that of an authority");
    if (secret.asymmetricKeyDetails?.namedCurve !== "prime256v1")
      throw new TypeError("the key is not of the curve P-256");
    return {
      certificate: `${certificate}\n`,
      key: secret.export({ format: "pem", type: "pkcs8" }).toString(),
    };
  } catch (error) {
    throw invalidSetting(setting, `${file ?? ""}: ${errorText(error)}`);
  }
}
