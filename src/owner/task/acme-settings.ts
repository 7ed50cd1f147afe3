import type { AcmeSettings, ExternalAccount } from "../../acme/index.js";
import { NvrdError } from "../../base/index.js";
import { type acmeInput, type InputValueOf, LETS_ENCRYPT_URL } from "../../contract/index.js";

type AcmeInput = Omit<InputValueOf<typeof acmeInput>, "TermsAgreed">;

/** Throws NvrdError CONFLICT for half of an account. `before`: what is set, whose secret may be meant. */
export function acmeSettingsOf(input: AcmeInput, before: AcmeSettings | undefined): AcmeSettings {
  const { Names, DirectoryUrl, Email, Authority, KeyId, HmacKey } = input;
  const directoryUrl = DirectoryUrl ?? LETS_ENCRYPT_URL;
  return {
    directoryUrl,
    names: [...new Set(Names.map((name) => name.toLowerCase()))],
    email: Email ?? undefined,
    trust: filled(Authority),
    account: accountOf(
      filled(KeyId),
      filled(HmacKey),
      before?.directoryUrl === directoryUrl ? before : undefined,
    ),
  };
}

function accountOf(
  keyId: string | undefined,
  hmacKey: string | undefined,
  before: AcmeSettings | undefined,
): ExternalAccount | undefined {
  if (keyId === undefined && hmacKey === undefined) return undefined;
  const same = before?.account?.keyId === keyId ? before?.account : undefined;
  if (keyId !== undefined && hmacKey !== undefined) return { keyId, hmacKey };
  if (keyId !== undefined && same !== undefined) return same;
  throw new NvrdError("CONFLICT", "KeyId and HmacKey belong together, and one is missing", { hint: "" });
}

function filled(value: string | null | undefined): string | undefined {
  return value === null || value === undefined || value.trim() === "" ? undefined : value;
}
