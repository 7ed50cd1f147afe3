import { useSignal } from "@preact/signals";
import { Check } from "../../control/check.js";
import { say, sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { usersWords } from "../../words/settings/users.js";

const SERVER = "/configure/server";

interface ServerSettings {
  /** Absent: they may not. */
  readonly FileLinksEnabled?: boolean;
}

/** Whether users may give links to files to people without a login: it holds as soon as it is ticked. */
export function LinksCard() {
  const words = usersWords();
  const isOn = useSignal<boolean | undefined>(undefined);
  useRead(async () => {
    isOn.value ??= (await requestJson<ServerSettings>(SERVER)).FileLinksEnabled === true;
  }, sayError);
  if (isOn.value === undefined) return null;
  const put = async (wanted: boolean): Promise<void> => {
    const before = isOn.peek();
    isOn.value = wanted;
    try {
      await requestJson<ServerSettings>(SERVER, { method: "PUT", body: { FileLinksEnabled: wanted } });
      say(words.linksSaved);
    } catch (error) {
      isOn.value = before;
      sayError(error);
    }
  };
  return (
    <article class="card">
      <h3>{words.links}</h3>
      <Check
        label={words.linksAllowed}
        checked={isOn.value}
        onChecked={(wanted) => void put(wanted)}
        hint={words.linksHint}
      />
    </article>
  );
}
