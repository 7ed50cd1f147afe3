import { LANGUAGES, type Language } from "../../base/index.js";

interface LinkWords {
  readonly intro: string;
  readonly until: (time: string) => string;
  readonly save: (size: string) => string;
  readonly saveHint: string;
  readonly password: string;
  readonly passwordHint: string;
  readonly open: string;
  readonly wrong: string;
  readonly wait: (seconds: number) => string;
  readonly gone: string;
  readonly goneHint: string;
  readonly busy: string;
}

/** What the page of a link says to whoever opens it. */
export const LINK_WORDS: Readonly<Record<Language, LinkWords>> = {
  en: {
    intro: "A recording of a video recorder, which one of its users gave you this link to.",
    until: (time) => `The link ends on ${time}.`,
    save: (size) => `Save the video (${size})`,
    saveHint: "If it does not play here, save it and open it with a video player.",
    password: "Password",
    passwordHint: "This recording needs a password. Ask the person who sent you the link.",
    open: "Open",
    wrong: "The password is wrong.",
    wait: (seconds) => `Too many wrong passwords. Try again in ${seconds} s.`,
    gone: "This link opens nothing",
    goneHint:
      "It has ended or was taken back, or a part of it is missing. Ask the person who sent it to you.",
    busy: "Too many people fetch this at once. Try again in a moment.",
  },
  ru: {
    intro: "Запись видеорегистратора. Ссылку на неё дал вам один из его пользователей.",
    until: (time) => `Ссылка действует до ${time}.`,
    save: (size) => `Сохранить видео (${size})`,
    saveHint: "Если видео здесь не воспроизводится, сохраните его и откройте в видеоплеере.",
    password: "Пароль",
    passwordHint: "Эта запись защищена паролем. Спросите его у того, кто прислал вам ссылку.",
    open: "Открыть",
    wrong: "Пароль неверный.",
    wait: (seconds) => `Слишком много неверных паролей. Повторите через ${seconds} с.`,
    gone: "По этой ссылке ничего нет",
    goneHint:
      "Её срок истёк, её отозвали, или она скопирована не полностью. Спросите того, кто прислал её вам.",
    busy: "Слишком много людей загружают это сразу. Повторите чуть позже.",
  },
};

const WEIGHT = /^q=([01](?:\.\d{0,3})?)$/;

/** Of the languages that there are, the one that `Accept-Language` likes best (RFC 9110, 12.5.4); English where it names none. */
export function readerLanguage(accepted: string | undefined): Language {
  let best: Language = "en";
  let bestWeight = 0;
  for (const range of (accepted ?? "").toLowerCase().split(",").slice(0, 32)) {
    const [tag = "", ...parameters] = range.split(";").map((part) => part.trim());
    const language = LANGUAGES.find((one) => tag === one || tag.startsWith(`${one}-`));
    const [weight = 1] = parameters.flatMap((parameter) => {
      const [, given] = WEIGHT.exec(parameter) ?? [];
      return given === undefined ? [] : [Number(given)];
    });
    if (language === undefined || weight <= bestWeight) continue;
    best = language;
    bestWeight = weight;
  }
  return best;
}
