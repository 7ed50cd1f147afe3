import { dictionary } from "./language.js";

/** What an answer means that is no success, by its status. */
const RUSSIAN_REFUSALS: Readonly<Record<number, string>> = {
  400: "Что-то заполнено неверно.",
  403: "Это вам не разрешено.",
  404: "Этого в регистраторе нет.",
  409: "Это не сочетается с тем, что уже есть.",
  429: "Слишком много запросов сразу: подождите.",
  501: "Это не поддерживается.",
  503: "Регистратор сейчас занят: повторите позже.",
};

/** Words that more than one screen uses. */
export const commonWords = dictionary({
  en: {
    wall: "Live",
    playback: "Recordings",
    events: "Events",
    settings: "Settings",
    account: "Account",
    skip: "Skip to the content",
    navigation: "Main",
    close: "Close",
    cancel: "Cancel",
    save: "Save",
    remove: "Remove",
    retry: "Try again",
    show: "Show",
    loading: "Loading…",
    offline: "The recorder does not answer. The page goes on by itself when it does.",
    unknownError: "Something went wrong in the recorder. Try again; if it stays, look at its log.",
    // The recorder's own sentences are English: they say all that these say, and why.
    refused: (_status: number, sentence: string) => `${sentence}`,
    keys: "Keys",
    keysHint: "Keys of this page",
    screenFailed: "This part of the page could not be loaded.",
  },
  ru: {
    wall: "Сейчас",
    playback: "Записи",
    events: "События",
    settings: "Настройки",
    account: "Учётная запись",
    skip: "К содержимому",
    navigation: "Главное меню",
    close: "Закрыть",
    cancel: "Отмена",
    save: "Сохранить",
    remove: "Удалить",
    retry: "Повторить",
    show: "Показать",
    loading: "Загрузка…",
    offline: "Регистратор не отвечает. Страница продолжит сама, когда он ответит.",
    unknownError: "В регистраторе произошла ошибка. Повторите; если не поможет, посмотрите его журнал.",
    refused: (status: number, sentence: string) =>
      `${RUSSIAN_REFUSALS[status] ?? "Не удалось."} (${sentence})`,
    keys: "Клавиши",
    keysHint: "Клавиши этой страницы",
    screenFailed: "Эту часть страницы не удалось загрузить.",
  },
});
