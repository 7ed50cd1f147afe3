import { Button } from "../control/button.js";
import { Choice } from "../control/field.js";
import { say, sayError } from "../control/notice.js";
import { PasswordForm } from "../login/first-password.js";
import { chooseLanguage, THEMES, theme } from "../state/preferences.js";
import { logOut, session } from "../state/session.js";
import { accountWords } from "../words/account.js";
import { language } from "../words/language.js";
import { loginWords } from "../words/login.js";

/** What belongs to the user: how the page looks, the password, logging out. */
export function AccountScreen() {
  const words = accountWords();
  return (
    <div class="account">
      <h1>{words.title}</h1>
      <section class="card">
        <p>{words.loggedInAs(session.value?.Login ?? "")}</p>
        <Button onClick={() => void logOut().catch(sayError)}>{words.logOut}</Button>
      </section>
      <section class="card">
        <h2>{words.appearance}</h2>
        <Choice
          label={words.language}
          value={language.value}
          options={[
            ["en", "English"],
            ["ru", "Русский"],
          ]}
          onValue={chooseLanguage}
        />
        <Choice
          label={words.theme}
          value={theme.value}
          options={THEMES.map((name) => [name, words.themes[name]])}
          onValue={(chosen) => (theme.value = chosen)}
        />
      </section>
      <section class="card">
        <h2>{words.password}</h2>
        <p>{loginWords().rule}</p>
        <PasswordForm onChanged={() => say(words.changed)} />
      </section>
    </div>
  );
}
