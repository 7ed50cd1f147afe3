import { dictionary } from "./language.js";

export const directoryWords = dictionary({
  en: {
    audit: "Who did what",
    audits: {
      login: "Who logged in",
      loginFailed: "Wrong logins",
      changed: "Who changed the settings",
    },
    sessions: "Where users are logged in now",
    title: "Company directory (LDAP)",
    none: "No directory is set up.",
    setWhere:
      "The directory is set in the recorder's settings file, by who has the box in hand, and read at its start. This page shows and tries it, and cannot change it.",
    asks: (url: string, base: string) =>
      `Users of the directory ${url} (${base}) log in here too, with the group that names theirs.`,
    unencrypted: "Passwords go to the directory unencrypted.",
    trialWhy: "Try a login of the directory: nobody is logged in by it.",
    login: "Name in the directory",
    password: "Its password",
    tryIt: "Try it",
    results: {
      Accepted: (group: string) => `The directory accepts the login. Here it has the group ${group}.`,
      NoGroup: () =>
        "The directory accepts the login, but no group here names one of its groups: it cannot log in.",
      Refused: () => "The directory refuses it: there is no such user, or the password is wrong.",
      Unavailable: () => "The directory does not answer as it should.",
    },
    groups: (groups: string) => `Groups in the directory: ${groups}`,
  },
  ru: {
    audit: "Кто что делал",
    audits: {
      login: "Кто входил",
      loginFailed: "Неудачные попытки входа",
      changed: "Кто менял настройки",
    },
    sessions: "Где сейчас работают пользователи",
    title: "Каталог организации (LDAP)",
    none: "Каталог не подключён.",
    setWhere:
      "Каталог задаётся в файле настроек регистратора тем, у кого есть доступ к устройству, и читается при запуске. Эта страница показывает и проверяет его, но изменить не может.",
    asks: (url: string, base: string) =>
      `Пользователи каталога ${url} (${base}) тоже входят сюда, с группой, в которой названа их группа.`,
    unencrypted: "Пароли передаются каталогу без шифрования.",
    trialWhy: "Проверьте вход через каталог: сам вход при этом не выполняется.",
    login: "Имя в каталоге",
    password: "Его пароль",
    tryIt: "Проверить",
    results: {
      Accepted: (group: string) => `Каталог принимает этого пользователя. Здесь его группа: ${group}.`,
      NoGroup: () =>
        "Каталог принимает пользователя, но ни в одной группе здесь не названа его группа: войти он не может.",
      Refused: () => "Каталог отказывает: такого пользователя нет или пароль неверный.",
      Unavailable: () => "Каталог не отвечает как следует.",
    },
    groups: (groups: string) => `Группы в каталоге: ${groups}`,
  },
});
