import type { AcmeClient } from "./acme-client.js";
import { NO_ACCOUNT } from "./acme-error.js";
import { readErrorDocument, readObject } from "./acme-objects.js";
import { AcmeFailure } from "./acme-problem.js";
import type { AcmeSettings } from "./acme-settings.js";

/** The account that the authority knows the recorder by. */
export interface KnownAccount {
  readonly url: string;
  /** Where it writes to. */
  readonly email: string | undefined;
}

/** Finds the account of the client's key, or makes one; the client speaks for it from then on. */
export async function useAccount(
  client: AcmeClient,
  settings: AcmeSettings,
  known: KnownAccount | undefined,
): Promise<KnownAccount> {
  const { email } = settings;
  if (known !== undefined) {
    client.accountUrl = known.url;
    if (await isThere(client, known.url, email)) return { url: known.url, email };
    client.accountUrl = undefined;
  }
  const url = await createAccount(client, settings);
  client.accountUrl = url;
  return { url, email };
}

/** Says where the authority writes to; resolves with false where there is no such account any more. */
async function isThere(client: AcmeClient, url: string, email: string | undefined): Promise<boolean> {
  const payload = { contact: contactsOf(email) };
  const answer = await client.postForAnswer(url, payload);
  if (readErrorDocument(answer)?.type === NO_ACCOUNT) return false;
  if (answer.status !== 200) await client.post(url, payload, "account");
  return true;
}

async function createAccount(client: AcmeClient, { email, account }: AcmeSettings): Promise<string> {
  const { newAccount, meta } = await client.directory();
  if (account === undefined && meta?.externalAccountRequired === true)
    throw new AcmeFailure("AccountNeeded", "it wants a key id and an HMAC key of an account with it");
  const binding =
    account === undefined
      ? {}
      : { externalAccountBinding: await (await client.key()).bind(account, newAccount) };
  const payload = { termsOfServiceAgreed: true, contact: contactsOf(email), ...binding };
  const answer = await client.post(newAccount, payload, "account");
  const { status } = readObject("account", answer);
  if (status !== undefined && status !== "valid")
    throw new AcmeFailure("AccountRefused", `the account is ${status.slice(0, 40)}`);
  return client.placeOf(answer);
}

function contactsOf(email: string | undefined): readonly string[] {
  return email === undefined ? [] : [`mailto:${email}`];
}
