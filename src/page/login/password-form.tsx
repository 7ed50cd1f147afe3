import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Button } from "../control/button.js";
import { Fault } from "../control/fault.js";
import { PasswordField } from "../control/field.js";
import { errorWords } from "../control/notice.js";
import { RequestError } from "../state/request.js";
import { changePassword, session } from "../state/session.js";
import { markSaved } from "../state/unsaved.js";
import { loginWords } from "../words/login.js";
import { lockedWords } from "./login.js";

/** Changes one's own password. `onChanged` is called when it is. */
export function PasswordForm({ onChanged }: { readonly onChanged?: () => void }) {
  const words = loginWords();
  const [current, next, again] = [useSignal(""), useSignal(""), useSignal("")];
  const fault = useSignal("");
  const form = useRef<HTMLFormElement>(null);
  const fields = [
    { field: current, label: words.current, autocomplete: "current-password" },
    { field: next, label: words.next, autocomplete: "new-password", hint: words.rule },
    { field: again, label: words.again, autocomplete: "new-password" },
  ];

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    fault.value = next.value === again.value ? "" : words.differs;
    if (fault.value !== "") return;
    try {
      await changePassword(current.value, next.value);
      for (const { field } of fields) field.value = "";
      markSaved(form.current);
      onChanged?.();
    } catch (error) {
      fault.value = refusalWords(error);
    }
  }

  return (
    <form ref={form} data-guarded="" onSubmit={(event) => void submit(event)}>
      {/* Shows a password manager whose password it is. */}
      <input type="text" autocomplete="username" value={session.value?.Login ?? ""} readOnly hidden />
      {fields.map(({ field, ...properties }) => (
        <PasswordField {...properties} key={properties.label} text={field} maxLength={256} required />
      ))}
      <Fault text={fault.value} />
      <Button type="submit" kind="main">
        {words.change}
      </Button>
    </form>
  );
}

function refusalWords(error: unknown): string {
  if (!(error instanceof RequestError)) return errorWords(error);
  if (error.status === 400) return loginWords().refused;
  if (error.status === 403) return loginWords().currentWrong;
  if (error.status === 429) return lockedWords(error);
  return errorWords(error);
}
