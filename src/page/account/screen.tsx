import "./account.css";
import "../settings/style.js";
import { useSignal } from "@preact/signals";
import { Button } from "../control/button.js";
import { Choice } from "../control/field.js";
import { LanguageChoice } from "../control/language-choice.js";
import { say, sayError } from "../control/notice.js";
import { PasswordForm } from "../login/password-form.js";
import { THEMES, theme } from "../state/preferences.js";
import { logOut, type Session, session } from "../state/session.js";
import { accountWords } from "../words/account.js";
import { Messages } from "./messages.js";
import { nameOf, Sessions } from "./sessions.js";

/** What belongs to the user: how the page looks, the password, where one is logged in. */
export function AccountScreen() {
  const words = accountWords();
  const who = session.value;
  const changes = useSignal(0);
  if (who === null || who === undefined) return null;
  return (
    <div class="account">
      <h1>{words.title}</h1>
      <section class="card account-who">
        <div>
          <p class="account-name">{words.loggedInAs(who.Login)}</p>
          <p class="hint">{words.group(who.Group)}</p>
          <p class="hint">{words.recorder(who.ServerName, who.Version)}</p>
        </div>
        <Button onClick={() => void logOut().catch(sayError)}>{words.logOut}</Button>
      </section>
      <section class="card">
        <h2>{words.appearance}</h2>
        <LanguageChoice label={words.language} />
        <Choice
          label={words.theme}
          value={theme.value}
          options={THEMES.map((name) => [name, words.themes[name]])}
          onValue={(chosen) => (theme.value = chosen)}
        />
      </section>
      <Messages ownName={nameOf(navigator.userAgent)} />
      <Sessions key={changes.value} />
      <section class="card">
        <h2>{words.password}</h2>
        <Password who={who} onChanged={() => (changes.value += 1)} />
      </section>
    </div>
  );
}

interface PasswordProps {
  readonly who: Session;
  readonly onChanged: () => void;
}

function Password({ who, onChanged }: PasswordProps) {
  const words = accountWords();
  if (who.IsDirectoryUser) return <p>{words.inDirectory}</p>;
  if (!who.CanChangePassword) return <p>{words.notAllowed}</p>;
  const changed = (): void => {
    say(words.changed);
    onChanged();
  };
  return <PasswordForm onChanged={changed} />;
}
