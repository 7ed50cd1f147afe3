import { dictionary } from "./language.js";

export const loginWords = dictionary({
  en: {
    title: "Log in to the recorder",
    name: "Name",
    password: "Password",
    logIn: "Log in",
    wrong: "Name or password is wrong.",
    locked: (minutes: number) =>
      `Too many wrong passwords. Wait ${minutes <= 1 ? "a minute" : `${minutes} minutes`}, then try again.`,
    changeTitle: "Choose a password of your own",
    changeWhy: "The first password was made by the recorder. It works once, to choose another.",
    current: "Present password",
    next: "New password",
    again: "New password again",
    differs: "The two new passwords differ.",
    rule: "At least 8 characters; not the name.",
    change: "Change password",
    show: "Show password",
  },
  ru: {
    title: "Вход в регистратор",
    name: "Имя",
    password: "Пароль",
    logIn: "Войти",
    wrong: "Неверное имя или пароль.",
    locked: (minutes: number) =>
      `Слишком много неверных паролей. Подождите ${minutes <= 1 ? "минуту" : `${minutes} мин.`} и повторите.`,
    changeTitle: "Задайте свой пароль",
    changeWhy: "Первый пароль создал регистратор. Он нужен один раз, чтобы задать другой.",
    current: "Текущий пароль",
    next: "Новый пароль",
    again: "Новый пароль ещё раз",
    differs: "Новые пароли не совпадают.",
    rule: "Не менее 8 знаков; не совпадает с именем.",
    change: "Сменить пароль",
    show: "Показать пароль",
  },
});
