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
    off: "The directory is switched off.",
    setWhere: (isOwn: boolean, file: string | null) =>
      isOwn
        ? `It is set here.${file === null ? "" : ` That of the settings file (${file}) does not count.`}`
        : file === null
          ? "It can be set up here, and holds at once."
          : "It is that of the recorder's settings file. What is set up here counts before it.",
    setUp: "Set up the directory",
    remove: "Remove what is set here",
    removeSure: "Really remove? Its users are logged out",
    saved: "The directory holds now.",
    more: "More",
    fields: {
      IsEnabled: "Users of the directory may log in",
      Url: "Address",
      BaseDn: "Where users are searched",
      ServiceDn: "Account that searches",
      StartTls: "Encrypt the connection (StartTLS)",
      BindDn: "Name to log in with, without that account",
      UserFilter: "Filter that finds a user",
      GroupAttribute: "Attribute with a user's groups",
      GroupFilter: "Filter that finds a user's groups",
      Authority: "Certificates that are trusted (PEM)",
    },
    serviceHint: "Empty: users log in by their own name.",
    servicePassword: "Password of the account",
    servicePasswordHint: "Empty: as before. Another address or account needs it again.",
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
        "Its certificate is signed by nobody whom the recorder trusts: check the certificates (ldapCaFile).",
      CertificateExpired: "Its certificate is not valid today: renew it, or correct the clock.",
      CertificateName: "Its certificate is for another name: enter the name that is in it.",
      NoEncryption: "The connection cannot be encrypted: check the address, ldap or ldaps, and the port.",
      EncryptionRequired: "It takes no passwords without encryption: use StartTLS (ldapTls), or ldaps.",
      ServiceRefused:
        "It refuses the account that searches for users: check its name (ldapServiceDn) and password.",
      SearchRefused:
        "It does not let the recorder search: give the account the right to read users and groups.",
      NoBase: "It has no entry of the name where users are searched: check it (ldapBaseDn).",
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
    off: "Каталог выключен.",
    setWhere: (isOwn: boolean, file: string | null) =>
      isOwn
        ? `Он задан здесь.${file === null ? "" : ` Каталог из файла настроек (${file}) не действует.`}`
        : file === null
          ? "Его можно задать здесь, он действует сразу."
          : "Он задан в файле настроек регистратора. Заданное здесь важнее.",
    setUp: "Настроить каталог",
    remove: "Убрать заданное здесь",
    removeSure: "Точно убрать? Его пользователи выйдут",
    saved: "Каталог действует.",
    more: "Ещё",
    fields: {
      IsEnabled: "Пользователи каталога могут входить",
      Url: "Адрес",
      BaseDn: "Где искать пользователей",
      ServiceDn: "Учётная запись для поиска",
      StartTls: "Шифровать соединение (StartTLS)",
      BindDn: "Имя для входа, если нет этой записи",
      UserFilter: "Фильтр, находящий пользователя",
      GroupAttribute: "Атрибут с группами пользователя",
      GroupFilter: "Фильтр, находящий группы пользователя",
      Authority: "Сертификаты, которым доверять (PEM)",
    },
    serviceHint: "Пусто: пользователи входят под своим именем.",
    servicePassword: "Пароль учётной записи",
    servicePasswordHint: "Пусто: как прежде. Для другого адреса или записи он нужен снова.",
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
      EncryptionRequired: "Пароли без шифрования он не принимает: включите StartTLS (ldapTls) или ldaps.",
      ServiceRefused:
        "Он отказывает учётной записи, которая ищет пользователей: проверьте её имя (ldapServiceDn) и пароль.",
      SearchRefused:
        "Он не даёт регистратору искать: разрешите учётной записи читать пользователей и группы.",
      NoBase: "В нём нет записи, с которой начинается поиск: проверьте её имя (ldapBaseDn).",
      FileUnreadable: "Не читается файл, названный в настройках.",
      Other: "Что он сообщает:",
    },
    groups: (groups: string) => `Группы в каталоге: ${groups}`,
  },
});
