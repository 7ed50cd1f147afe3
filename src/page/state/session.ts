import { signal } from "@preact/signals";
import { onLoggedOut, RequestError, request, requestJson } from "./request.js";

/** Who is logged in, as `GET /api/session` says. */
export interface Session {
  readonly Login: string;
  readonly IsRoot: boolean;
  readonly IsAdministrator: boolean;
  /** The password is the one that the recorder made; nothing else answers until it is changed. */
  readonly MustChangePassword: boolean;
  /** IANA name of the box's time zone. */
  readonly TimeZone: string;
  readonly ServerName: string;
  readonly Version: string;
}

/** Undefined while it is not known, null when nobody is logged in. */
export const session = signal<Session | null | undefined>(undefined);

onLoggedOut.call = () => {
  session.value = null;
};

/** Asks who is logged in; retries for as long as the service does not answer. */
export async function readSession(retryMs = 2000): Promise<void> {
  try {
    session.value = await requestJson<Session>("/api/session");
  } catch (error) {
    if (error instanceof RequestError && error.status === 401) session.value = null;
    else setTimeout(() => void readSession(retryMs), retryMs);
  }
}

/** Rejects with RequestError: 401 wrong, 429 locked for `retryAfterS`. */
export async function logIn(login: string, password: string): Promise<void> {
  session.value = await requestJson<Session>("/api/session", {
    method: "POST",
    body: { Login: login, Password: password },
  });
}

export async function logOut(): Promise<void> {
  await request("/api/session", { method: "DELETE" });
  session.value = null;
}

/** Rejects with RequestError: 400 the new one is refused (its message says why), 401/403 the present one is wrong. */
export async function changePassword(current: string, next: string): Promise<void> {
  await request("/api/session/password", { method: "POST", body: { Current: current, New: next } });
  await readSession();
}
