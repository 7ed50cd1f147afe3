import type { words as en } from "../en/single-sign-on.js";

export const words: typeof en = {
  logInWith: (place: string) => `Войти через ${place}`,
  refused:
    "Вход не выполнен: провайдер отказал, вход занял слишком много времени или ни одна из ваших групп не имеет здесь прав.",
  unavailable: "Провайдер входа сейчас не отвечает. Повторите позже или войдите по имени и паролю.",
};
