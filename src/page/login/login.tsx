import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../control/button.js";
import { Fault } from "../control/fault.js";
import { Field, PasswordField } from "../control/field.js";
import { LanguageChoice } from "../control/language-choice.js";
import { Loaded } from "../control/loaded.js";
import { errorWords } from "../control/notice.js";
import { RequestError } from "../state/request.js";
import { hasEnded, logIn } from "../state/session.js";
import { loginWords } from "../words/login.js";

/** What everybody sees who is not logged in. */
export function Login() {
  return (
    <main class="entrance">
      <LoginForm />
    </main>
  );
}

/** The same over a form whose session has ended; it stays until somebody is logged in. */
export function LoginAgain() {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog
      ref={element}
      class="dialog login-again"
      aria-label={loginWords().title}
      // A browser that is asked to close one dialog twice may close those below it too.
      onKeyDown={(event) => {
        if (event.key === "Escape") event.preventDefault();
      }}
      onCancel={(event) => event.preventDefault()}
      onClose={() => element.current?.showModal()}
    >
      <LoginForm />
    </dialog>
  );
}

/** The password is in the field and in one request, nowhere else. */
function LoginForm() {
  const words = loginWords();
  const login = useSignal("");
  const password = useSignal("");
  const fault = useSignal(hasEnded.peek() ? words.ended : "");
  const busy = useSignal(false);
  const form = useRef<HTMLFormElement>(null);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (busy.value) return;
    busy.value = true;
    fault.value = "";
    try {
      await logIn(login.value, password.value);
    } catch (error) {
      fault.value = refusalWords(error);
      form.current?.querySelector<HTMLInputElement>("input[type=password]")?.focus();
    } finally {
      password.value = "";
      busy.value = false;
    }
  }

  return (
    <form class="card" ref={form} onSubmit={(event) => void submit(event)}>
      <h1>{words.title}</h1>
      <Field label={words.name} text={login} autocomplete="username" maxLength={256} required autofocus />
      <PasswordField
        label={words.password}
        text={password}
        autocomplete="current-password"
        maxLength={256}
        invalid={fault.value !== ""}
      />
      <Fault text={fault.value} />
      <Button type="submit" kind="main">
        {words.logIn}
      </Button>
      <Loaded load={otherWays} props={NO_PROPERTIES} />
      <details class="hint">
        <summary>{words.firstTime}</summary>
        <p>{words.firstTimeText}</p>
      </details>
      <details class="hint">
        <summary>{words.lost}</summary>
        <p>{words.lostText}</p>
      </details>
      <LanguageChoice label={words.language} />
    </form>
  );
}

const NO_PROPERTIES = {};
const otherWays = async () => (await import("./other-ways.js")).OtherWays;

function refusalWords(error: unknown): string {
  if (!(error instanceof RequestError)) return errorWords(error);
  if (error.status === 401) return loginWords().wrong;
  if (error.status === 429) return lockedWords(error);
  return errorWords(error);
}

/** How long the door stays shut after too many wrong passwords. */
export function lockedWords({ retryAfterS }: RequestError): string {
  const { locked, seconds, minutes } = loginWords();
  const waitS = Math.max(1, retryAfterS ?? 60);
  return locked(waitS < 60 ? seconds(waitS) : minutes(Math.ceil(waitS / 60)));
}
