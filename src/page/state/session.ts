import { signal } from "@preact/signals";
import type { SessionItem, SessionState } from "../../contract/answer/index.js";
import { addressOf } from "./address.js";
import { takeRecorderTime } from "./recorder-time.js";
import { onLoggedOut, type RequestOptions, request, requestJson } from "./request.js";

/** Who is logged in, as `GET /api/session` says. */
export type Session = SessionState;

/** Undefined while it is not known, null when nobody is logged in. */
export const session = signal<Session | null | undefined>(undefined);

/** The server shows recordings from a bucket, and changes none of what its recorders have. */
export const isBucket = (): boolean => session.value?.IsBucket === true;

/** Whether a form has something unsaved: then the page stays as it is under the login. */
export const holdsUnsaved: { call: () => boolean } = { call: () => false };

/** The session has ended within a form: the login comes over it. */
export const asksAgain = signal(false);

/** Who was logged in has been logged out by the recorder. */
export const hasEnded = signal(false);

onLoggedOut.call = () => {
  hasEnded.value ||= session.value != null;
  if (session.value != null && holdsUnsaved.call()) asksAgain.value = true;
  else session.value = null;
};

/** Who is logged in, as the recorder says now; with it comes the recorder's time. */
export async function askWhoIsThere(options: RequestOptions = {}): Promise<Session | null> {
  return await sessionAt(addressOf("/api/session", { anonymous: true }), options);
}

async function sessionAt(address: string, options: RequestOptions): Promise<Session | null> {
  const askedMs = Date.now();
  const answer = await requestJson<Session | null>(address, options);
  if (answer !== null) takeRecorderTime(Date.parse(answer.Time), askedMs, Date.now());
  return answer;
}

/** Asks who is logged in; retries for as long as the service does not answer. */
export async function readSession(retryMs = 2000): Promise<void> {
  try {
    session.value = await askWhoIsThere();
  } catch {
    // It does not answer yet; the page says so.
    setTimeout(() => void readSession(retryMs), retryMs);
  }
}

/** Rejects with RequestError: 401 wrong, 429 locked for `retryAfterS`. */
export async function logIn(login: string, password: string): Promise<void> {
  const body = { Login: login, Password: password };
  session.value = await sessionAt("/api/session", { method: "POST", body });
  hasEnded.value = false;
  asksAgain.value = false;
}

export async function logOut(): Promise<void> {
  await request("/api/session", { method: "DELETE" });
  session.value = null;
}

/** Rejects with RequestError: 400 the new one is refused (its message says why), 403 the present one is wrong, 429 too many wrong ones. */
export async function changePassword(current: string, next: string): Promise<void> {
  await request("/api/session/password", { method: "POST", body: { Current: current, New: next } });
  await readSession();
}

/** The sessions of this user, or of everybody for an administrator; the one used last first. */
export function readSessions(): Promise<readonly SessionItem[]> {
  return requestJson<readonly SessionItem[]>("/api/sessions");
}

/** Ends a session; what it is watching ends too. */
export async function endSession(id: string): Promise<void> {
  await request(`/api/sessions/${encodeURIComponent(id)}`, { method: "DELETE" });
}
