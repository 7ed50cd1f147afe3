import type { words as en } from "../en/links.js";
import { counted } from "../language.js";

/** Words of the links to files for people without a login. */
export const words: typeof en = {
  make: "Ссылка для других",
  makeHint: "Кто имеет ссылку, видит этот файл без входа. Она действует до срока, и её можно отозвать.",
  makeNow: "Создать ссылку",
  hours: "Действует",
  lasts: (hours: number) =>
    hours < 24
      ? counted(hours, { one: "час", few: "часа", other: "часов" })
      : counted(hours / 24, { one: "день", few: "дня", other: "дней" }),
  password: "Пароль, если нужен",
  passwordHint: "Сообщите его не тем же путём, что ссылку.",
  link: "Ссылка на этот файл",
  linkHint:
    "Скопируйте её сейчас: она показывается один раз. Работает там, откуда доступен этот адрес регистратора.",
  linksTo: (name: string) => `Ссылки на ${name}`,
  until: (time: string) => `Ссылка до ${time}`,
  withPassword: "с паролем",
  notOpened: "ещё не открывали",
  opened: (times: number) => `открыта ${counted(times, { one: "раз", few: "раза", other: "раз" })}`,
  takeBack: "Отозвать",
};
