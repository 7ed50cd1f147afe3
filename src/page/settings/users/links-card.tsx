import { useSignal } from "@preact/signals";
import { Check } from "../../control/check.js";
import { sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { usersWords } from "../../words/settings/users.js";
import { SaveForm } from "../save-form.js";

const SERVER = "/configure/server";

interface ServerSettings {
  /** Absent: they may not. */
  readonly FileLinksEnabled?: boolean;
}

/** Whether users may give links to files to people without a login. */
export function LinksCard() {
  const words = usersWords();
  const isOn = useSignal<boolean | undefined>(undefined);
  useRead(async () => {
    isOn.value ??= (await requestJson<ServerSettings>(SERVER)).FileLinksEnabled === true;
  }, sayError);
  if (isOn.value === undefined) return null;
  const save = async (): Promise<void> => {
    const body = { FileLinksEnabled: isOn.peek() };
    await requestJson<ServerSettings>(SERVER, { method: "PUT", body });
  };
  return (
    <SaveForm saved={words.linksSaved} onSave={save}>
      <h3>{words.links}</h3>
      <Check
        label={words.linksAllowed}
        checked={isOn.value}
        onChecked={(value) => (isOn.value = value)}
        hint={words.linksHint}
      />
    </SaveForm>
  );
}
