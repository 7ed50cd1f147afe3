import { useSignal } from "@preact/signals";
import { Button } from "../control/button.js";
import { Field } from "../control/field.js";
import { errorWords } from "../control/notice.js";
import { RequestError } from "../state/request.js";
import { logIn } from "../state/session.js";
import { loginWords } from "../words/login.js";

/** The form that everybody sees who is not logged in. The password is in the field and in one request, nowhere else. */
export function Login() {
  const words = loginWords();
  const login = useSignal("");
  const password = useSignal("");
  const fault = useSignal("");
  const busy = useSignal(false);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    busy.value = true;
    fault.value = "";
    try {
      await logIn(login.value, password.value);
    } catch (error) {
      fault.value = refusalWords(error);
    } finally {
      password.value = "";
      busy.value = false;
    }
  }

  return (
    <main class="entrance">
      <form class="card" onSubmit={(event) => void submit(event)}>
        <h1>{words.title}</h1>
        <Field
          label={words.name}
          value={login.value}
          onValue={(value) => (login.value = value)}
          autocomplete="username"
          maxLength={256}
          required
          autofocus
        />
        <Field
          label={words.password}
          type="password"
          value={password.value}
          onValue={(value) => (password.value = value)}
          autocomplete="current-password"
          maxLength={256}
          invalid={fault.value !== ""}
        />
        <p class="fault" role="alert">
          {fault.value}
        </p>
        <Button type="submit" kind="main" disabled={busy.value}>
          {words.logIn}
        </Button>
      </form>
    </main>
  );
}

function refusalWords(error: unknown): string {
  if (!(error instanceof RequestError)) return errorWords(error);
  if (error.status === 401) return loginWords().wrong;
  if (error.status === 429) return loginWords().locked(Math.ceil((error.retryAfterS ?? 60) / 60));
  return errorWords(error);
}
