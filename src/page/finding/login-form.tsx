import type { Signal } from "@preact/signals";
import { cameraConnection as connection } from "../../contract/index.js";
import { Button } from "../control/button.js";
import { Field, PasswordField } from "../control/field.js";
import { findingWords } from "../words/finding.js";
import { tryLogin } from "./camera-work.js";
import { found, groupOf } from "./found-cameras.js";

interface LoginFormProps {
  readonly login: Signal<string>;
  readonly password: Signal<string>;
}

/** One login for many cameras; each is tried once, because cameras lock up. */
export function LoginForm({ login, password }: LoginFormProps) {
  const words = findingWords();
  const wanting = found.value.filter((camera) => camera.isChosen && groupOf(camera) === "login");
  if (!found.value.some((camera) => groupOf(camera) === "login")) return null;
  const submit = (event: Event): void => {
    event.preventDefault();
    void tryLogin(wanting, login.value, password.value);
  };
  return (
    <form class="card finding-login" onSubmit={submit}>
      <p>{words.loginHint}</p>
      <Field
        label={words.loginName}
        text={login}
        autocomplete="off"
        maxLength={connection.Login.max}
        required
      />
      <PasswordField
        label={words.loginPassword}
        text={password}
        autocomplete="off"
        maxLength={connection.Password.max}
      />
      <Button type="submit" kind="main" disabled={wanting.length === 0}>
        {words.tryLogin(wanting.length)}
      </Button>
    </form>
  );
}
