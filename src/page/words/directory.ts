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
    problems: {
      Unreachable: "Nothing answers at its address: check the address and the port, and that it runs.",
      UnknownHost: "Nobody knows its name: check the address, and the DNS server of the recorder.",
      TooSlow: "It took too long to answer.",
      CertificateUntrusted:
        "Its certificate is signed by nobody whom the recorder trusts: check the file ldapCaFile.",
      CertificateExpired: "Its certificate is not valid today: renew it, or correct the clock.",
      CertificateName: "Its certificate is for another name: enter the name that is in it.",
      NoEncryption: "The connection cannot be encrypted: check the address, ldap or ldaps, and the port.",
      EncryptionRequired: "It takes no passwords without encryption: set ldapTls to starttls, or use ldaps.",
      ServiceRefused: "It refuses the account that searches for users: check ldapServiceDn and its password.",
      SearchRefused:
        "It does not let the recorder search: give the account the right to read users and groups.",
      NoBase: "It has no entry of the name where users are searched: check ldapBaseDn.",
      FileUnreadable: "A file that the settings name cannot be read.",
      Other: "What it says:",
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
    problems: {
      Unreachable: "По его адресу ничего не отвечает: проверьте адрес и порт и работает ли он.",
      UnknownHost: "Его имя никому не известно: проверьте адрес и сервер DNS регистратора.",
      TooSlow: "Ответ занял слишком много времени.",
      CertificateUntrusted:
        "Его сертификат не подписан никем, кому регистратор доверяет: проверьте файл ldapCaFile.",
      CertificateExpired: "Его сертификат сегодня недействителен: обновите его или исправьте часы.",
      CertificateName: "Его сертификат выдан на другое имя: укажите имя из сертификата.",
      NoEncryption: "Соединение не удаётся зашифровать: проверьте адрес, ldap или ldaps, и порт.",
      EncryptionRequired: "Пароли без шифрования он не принимает: задайте ldapTls starttls или ldaps.",
      ServiceRefused:
        "Он отказывает учётной записи, которая ищет пользователей: проверьте ldapServiceDn и её пароль.",
      SearchRefused:
        "Он не даёт регистратору искать: разрешите учётной записи читать пользователей и группы.",
      NoBase: "В нём нет записи, с которой начинается поиск: проверьте ldapBaseDn.",
      FileUnreadable: "Не читается файл, названный в настройках.",
      Other: "Что он сообщает:",
    },
    groups: (groups: string) => `Группы в каталоге: ${groups}`,
  },
});
