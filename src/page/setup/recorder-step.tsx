import { type Signal, useComputed, useSignal } from "@preact/signals";
import type { Setup } from "../../contract/answer/index.js";
import { NAME_LENGTH_MAX, PASSWORD_LENGTH_MAX } from "../../contract/index.js";
import { Button } from "../control/button.js";
import { Fault } from "../control/fault.js";
import { Choice, Field, PasswordField } from "../control/field.js";
import { LanguageChoice } from "../control/language-choice.js";
import { errorWords, sayError } from "../control/notice.js";
import { RequestError } from "../state/request.js";
import { logOut, readSession, session } from "../state/session.js";
import { sendSetup } from "../state/setup.js";
import { language } from "../words/language.js";
import { loginWords } from "../words/login.js";
import { setupWords } from "../words/setup.js";
import { Strength } from "./strength.js";

interface RecorderStepProps {
  readonly state: Setup;
  /** Goes on, before it is known that root has a password of its own: then who has not finished is brought back to the first run. */
  readonly onDone: () => Promise<void>;
}

/** Root's own password, name, language and time zone. Later, without the password: these can be changed again. */
export function RecorderStep({ state, onDone }: RecorderStepProps) {
  const words = setupWords();
  const isFirst = state.Stage === "Password";
  const [password, again, fault] = [useSignal(""), useSignal(""), useSignal("")];
  const name = useSignal(state.ServerName);
  const zone = useSignal(guessedZone(state));
  const isBusy = useSignal(false);
  const zones = useComputed(() => zoneOptions(state.TimeZone));

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (isBusy.value) return;
    fault.value = password.value === again.value ? "" : words.differs;
    if (fault.value !== "") return;
    isBusy.value = true;
    try {
      await sendSetup({
        ...(isFirst ? { Password: password.value } : {}),
        ...{ ServerName: name.value.trim(), Language: language.value },
        ...(state.CanChooseTimeZone ? { TimeZone: zone.value } : {}),
      });
      await onDone();
      await readSession();
    } catch (error) {
      fault.value = refusalWords(error);
    } finally {
      isBusy.value = false;
    }
  }

  return (
    <form class="setup-form card" onSubmit={(event) => void submit(event)}>
      {isFirst && <OwnPassword password={password} again={again} name={name.value} />}
      <Field label={words.name} text={name} maxLength={NAME_LENGTH_MAX} required />
      <LanguageChoice label={words.language} />
      {state.CanChooseTimeZone ? (
        <Choice
          label={words.zone}
          value={zone.value}
          options={zones.value}
          onValue={(value) => (zone.value = value)}
        />
      ) : (
        <p class="hint">{words.zoneIsMachines(state.TimeZone)}</p>
      )}
      <Fault text={fault.value} />
      <div class="setup-buttons">
        {isFirst && <Button onClick={() => void logOut().catch(sayError)}>{loginWords().logOut}</Button>}
        <Button type="submit" kind="main" disabled={isBusy.value}>
          {words.next}
        </Button>
      </div>
    </form>
  );
}

interface OwnPasswordProps {
  readonly password: Signal<string>;
  readonly again: Signal<string>;
  /** The name that the recorder is to get. */
  readonly name: string;
}

function OwnPassword({ password, again, name }: OwnPasswordProps) {
  const words = setupWords();
  const common = { autocomplete: "new-password", maxLength: PASSWORD_LENGTH_MAX, required: true };
  return (
    <>
      <h2>{words.recorderTitle}</h2>
      <p>{words.recorderWhy}</p>
      {/* Shows a password manager whose password it is. */}
      <input type="text" autocomplete="username" value={session.value?.Login ?? ""} readOnly hidden />
      <PasswordField {...common} label={words.password} text={password} hint={words.rule} />
      <Strength password={password.value} name={name} />
      <PasswordField {...common} label={words.again} text={again} />
    </>
  );
}

/** What the browser says, where the box has no zone of its own. */
function guessedZone({ CanChooseTimeZone, TimeZone }: Setup): string {
  return CanChooseTimeZone && TimeZone === "UTC"
    ? Intl.DateTimeFormat().resolvedOptions().timeZone
    : TimeZone;
}

function zoneOptions(present: string): readonly (readonly [string, string])[] {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const names = new Set(["UTC", present, own, ...Intl.supportedValuesOf("timeZone")]);
  return [...names].sort().map((name) => [name, name.replaceAll("_", " ")] as const);
}

/** The recorder names the password in English, or in the page's language. */
function refusalWords(error: unknown): string {
  if (error instanceof RequestError && error.status === 400 && /passw|парол/i.test(error.message))
    return setupWords().passwordRefused;
  return errorWords(error);
}
