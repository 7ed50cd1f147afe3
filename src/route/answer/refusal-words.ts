import { type Language, type SentenceLists, sentenceLists, translated } from "../../base/index.js";
import type { RequestContent } from "../../http/index.js";
import { REFUSAL_TEMPLATES } from "./refusal-templates.js";

/** Longer ones are not looked up. */
export const REFUSAL_CHARACTERS_MAX = 512;

/** What a status means, for a refusal that is in no template. */
const STATUSES: Readonly<Record<number, string>> = {
  400: "Что-то заполнено неверно.",
  403: "Это вам не разрешено.",
  404: "Этого в регистраторе нет.",
  409: "Это не сочетается с тем, что уже есть.",
  429: "Слишком много запросов сразу: подождите.",
  501: "Это не поддерживается.",
  503: "Регистратор сейчас занят: повторите позже.",
};

let lists: SentenceLists | undefined;

/**
 * The language that a request wants its refusals in: `Accept-Language` names one and nothing else. Browsers name several by
 * themselves, and programs that compare texts go on reading English.
 */
export function languageOf(request: Pick<RequestContent, "header">): Language {
  return request.header("accept-language") === "ru" ? "ru" : "en";
}

/** A refusal in a language. What is known in English alone stays, behind what its status means. */
export function refusalIn(language: Language, status: number, text: string): string {
  if (language === "en") return text;
  lists ??= sentenceLists(REFUSAL_TEMPLATES);
  const known =
    text.length > REFUSAL_CHARACTERS_MAX ? undefined : translated(text, lists.get("refusal") ?? [], lists);
  // Sentences of which no part is known are joined as they are.
  return known !== undefined && /[а-я]/i.test(known)
    ? known
    : `${STATUSES[status] ?? "Не удалось."} (По-английски: ${text})`;
}
