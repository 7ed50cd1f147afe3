import { dictionary } from "./language.js";

export const certificateWords = dictionary({
  en: {
    title: "Certificate of HTTPS",
    isOff: "HTTPS is off: the page is reached over HTTP only.",
    ownWhy:
      "The recorder has made this certificate itself. Browsers warn of it until it is installed on the device as trusted: save it, compare the fingerprint, and install it there.",
    signedWhy: "The page is shown over HTTPS with this certificate.",
    names: "For",
    issuer: "Signed by",
    itself: "itself",
    validTo: "Valid until",
    fingerprint: "Fingerprint",
    save: "Save the certificate",
    ofSettings: "It is a file that the recorder's settings name: replace that file.",
    another: "Use another certificate",
    anotherHint:
      "Two files that your authority has given you, as text (PEM): the certificate with those that sign it, and its key without a password. The key is not shown again.",
    certificateFile: "Certificate",
    keyFile: "Key",
    chosen: (what: string, name: string | undefined) =>
      name === undefined ? `Choose: ${what}` : `${what}: ${name}`,
    replace: "Use it",
    own: "Back to the recorder's own",
    ownSure: "Back to its own: browsers warn of it",
    replaced: "The new certificate is used in a few seconds.",
  },
  ru: {
    title: "Сертификат HTTPS",
    isOff: "HTTPS выключен: страница доступна только по HTTP.",
    ownWhy:
      "Этот сертификат регистратор сделал сам. Браузеры предупреждают о нём, пока он не установлен на устройстве как доверенный: сохраните его, сравните отпечаток и установите там.",
    signedWhy: "С этим сертификатом страница открывается по HTTPS.",
    names: "Для",
    issuer: "Кем подписан",
    itself: "самим собой",
    validTo: "Действует до",
    fingerprint: "Отпечаток",
    save: "Сохранить сертификат",
    ofSettings: "Это файл, который назван в настройках регистратора: замените тот файл.",
    another: "Использовать другой сертификат",
    anotherHint:
      "Два текстовых файла от вашего центра сертификации: сертификат вместе с подписавшими его и ключ без пароля. Ключ больше не показывается.",
    certificateFile: "Сертификат",
    keyFile: "Ключ",
    chosen: (what: string, name: string | undefined) =>
      name === undefined ? `Выбрать: ${what}` : `${what}: ${name}`,
    replace: "Использовать",
    own: "Вернуть сертификат регистратора",
    ownSure: "Вернуть: браузеры будут о нём предупреждать",
    replaced: "Через несколько секунд будет использоваться новый сертификат.",
  },
});
