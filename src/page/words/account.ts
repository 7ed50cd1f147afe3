import { dictionary } from "./language.js";

export const accountWords = dictionary({
  en: {
    title: "Account",
    loggedInAs: (name: string) => `You are logged in as ${name}.`,
    logOut: "Log out",
    appearance: "Appearance",
    language: "Language",
    theme: "Colours",
    themes: { auto: "As this device has it", light: "Light", dark: "Dark" },
    password: "Password",
    changed: "The password is changed.",
  },
  ru: {
    title: "Учётная запись",
    loggedInAs: (name: string) => `Вы вошли как ${name}.`,
    logOut: "Выйти",
    appearance: "Вид",
    language: "Язык",
    theme: "Цвета",
    themes: { auto: "Как на этом устройстве", light: "Светлые", dark: "Тёмные" },
    password: "Пароль",
    changed: "Пароль изменён.",
  },
});
