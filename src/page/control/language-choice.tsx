import { useSignal } from "@preact/signals";
import { chooseLanguage } from "../state/preferences.js";
import { LANGUAGE_NAMES, type Language, language } from "../words/language.js";
import { loadingWords } from "../words/loading.js";
import { Choice } from "./field.js";
import { say } from "./notice.js";

/** The choice of the page's language, which is fetched then. */
export function LanguageChoice({ label }: { readonly label: string }) {
  /** What is shown until its words are here, or cannot be fetched. */
  const asked = useSignal<Language | undefined>(undefined);
  const choose = async (chosen: Language): Promise<void> => {
    asked.value = chosen;
    try {
      await chooseLanguage(chosen);
    } catch (error) {
      console.warn("the words of a language cannot be fetched", error);
      say(loadingWords().screenFailed, true);
    }
    if (asked.value === chosen) asked.value = undefined;
  };
  return (
    <Choice
      label={label}
      value={asked.value ?? language.value}
      options={LANGUAGE_NAMES}
      onValue={(chosen) => void choose(chosen)}
    />
  );
}
