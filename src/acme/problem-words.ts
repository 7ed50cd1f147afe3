import type { Language } from "../base/index.js";
import type { AcmeProblem } from "../contract/answer/index.js";

/** What the words are about. */
interface ProblemPlace {
  /** The host name; empty where it is not about one. */
  readonly name: string;
  /** The recorder's port for plain HTTP. */
  readonly httpPort: number;
}

type Words = readonly [title: string, remedy: string | ((place: ProblemPlace) => string)];

/** What is wrong, and what to do about it, for who sets up the recorder. */
const WORDS: Readonly<Record<Language, Readonly<Record<AcmeProblem, Words>>>> = {
  en: {
    ClockUnknown: [
      "The recorder does not know the time",
      "Give it a time server under Network, or say under System that its time is right.",
    ],
    HttpOff: [
      "The recorder does not answer plain HTTP",
      "The authority looks at names over HTTP. Set httpPort in the recorder's settings.",
    ],
    ServerUnknown: [
      "The authority's address is not known",
      "Check the address, and the DNS server of the recorder.",
    ],
    ServerUnreachable: [
      "The authority does not answer",
      "Check the recorder's way to the internet, and the address if it is not the usual one.",
    ],
    ServerTooSlow: ["The authority took too long", "It is tried again by itself."],
    ServerUntrusted: [
      "The authority's server is not trusted",
      "Check its address and the recorder's time. For an authority of your own, enter the certificates that its server is trusted by.",
    ],
    ServerFaulty: [
      "What answers there is no ACME server, or one with a fault",
      "Check the address: it ends with the directory, such as /directory.",
    ],
    ServerBusy: ["The authority has a fault at present", "It is tried again by itself."],
    RateLimited: [
      "The authority gives no more certificates for now",
      "Wait: it is tried again by itself. Do not switch it off and on meanwhile, as each try counts.",
    ],
    TermsChanged: ["The authority's terms have changed", "Read them, and save these settings again."],
    AccountNeeded: [
      "The authority wants an account that you have with it",
      "Create one there, and enter the key id and the HMAC key it gives you.",
    ],
    AccountRefused: [
      "The authority refuses the account",
      "Check the key id and the HMAC key. Keys are often for one use only: get new ones there.",
    ],
    EmailRefused: ["The authority refuses the e-mail address", "Enter another one, or leave it empty."],
    NameRefused: [
      "The authority gives no certificate for this name",
      "Names of local networks, such as .local, get none. Use a name that you own.",
    ],
    CaaForbids: [
      "The name is reserved for another authority",
      "Add this authority to the CAA records of the name at your DNS provider.",
    ],
    NameUnknown: [
      "The name has no address",
      "Create an A or AAAA record for it at your DNS provider, with the address of your internet connection. It takes up to an hour to be known.",
    ],
    NotReached: [
      "Nothing answers at port 80 of the name",
      ({ httpPort }) =>
        `Forward port 80 of your router to port ${httpPort} of this recorder, and check that the name has the address of your connection. Some routers do not let their own network reach that address: then only the authority can tell.`,
    ],
    OtherAnswers: [
      "Another device answers at port 80 of the name",
      ({ httpPort }) =>
        `Forward port 80 of your router to port ${httpPort} of this recorder; often the router's own page is there. A proxy has to pass on /.well-known/acme-challenge/ unchanged.`,
    ],
    NoChallenge: [
      "The authority cannot look at this name over HTTP",
      "Use another authority, or upload a certificate.",
    ],
    CertificateUnfit: [
      "The authority gave a certificate that does not fit",
      "It is not used. Check the recorder's time; otherwise ask whoever runs the authority.",
    ],
    CannotKeep: ["The recorder's system disk takes no files", "Make room on it, and have it looked at."],
    Other: ["The authority gives no certificate", "See what it says."],
  },
  ru: {
    ClockUnknown: [
      "Регистратор не знает времени",
      "Задайте сервер времени в разделе «Сеть» или подтвердите в разделе «Система», что время верное.",
    ],
    HttpOff: [
      "Регистратор не отвечает по обычному HTTP",
      "Центр проверяет имена по HTTP. Задайте httpPort в настройках регистратора.",
    ],
    ServerUnknown: ["Адрес центра сертификации неизвестен", "Проверьте адрес и сервер DNS регистратора."],
    ServerUnreachable: [
      "Центр сертификации не отвечает",
      "Проверьте доступ регистратора в интернет, а если адрес не обычный, то и адрес.",
    ],
    ServerTooSlow: ["Центр сертификации отвечает слишком долго", "Попытка повторится сама."],
    ServerUntrusted: [
      "Серверу центра сертификации нельзя доверять",
      "Проверьте его адрес и время регистратора. Для собственного центра укажите сертификаты, которым доверять.",
    ],
    ServerFaulty: [
      "По этому адресу нет сервера ACME, или он неисправен",
      "Проверьте адрес: в конце стоит каталог, например /directory.",
    ],
    ServerBusy: ["У центра сертификации сейчас сбой", "Попытка повторится сама."],
    RateLimited: [
      "Центр сертификации пока не выдаёт сертификаты",
      "Подождите: попытка повторится сама. Не выключайте и не включайте её: каждая попытка засчитывается.",
    ],
    TermsChanged: ["Условия центра сертификации изменились", "Прочитайте их и сохраните настройки ещё раз."],
    AccountNeeded: [
      "Центру сертификации нужна ваша учётная запись у него",
      "Заведите её там и введите полученные идентификатор ключа и ключ HMAC.",
    ],
    AccountRefused: [
      "Центр сертификации не принимает учётную запись",
      "Проверьте идентификатор ключа и ключ HMAC. Часто ключ годится один раз: получите новый.",
    ],
    EmailRefused: ["Центр сертификации не принимает адрес почты", "Введите другой или оставьте поле пустым."],
    NameRefused: [
      "На такое имя центр сертификат не выдаёт",
      "Имена местных сетей, например .local, не подходят. Возьмите имя, которое принадлежит вам.",
    ],
    CaaForbids: [
      "Имя закреплено за другим центром сертификации",
      "Добавьте этот центр в записи CAA имени у вашего поставщика DNS.",
    ],
    NameUnknown: [
      "У имени нет адреса",
      "Создайте для него запись A или AAAA у поставщика DNS с адресом вашего подключения к интернету. Она станет известна в течение часа.",
    ],
    NotReached: [
      "На порту 80 этого имени ничего не отвечает",
      ({ httpPort }) =>
        `Перенаправьте порт 80 роутера на порт ${httpPort} этого регистратора и проверьте, что у имени адрес вашего подключения. Некоторые роутеры не пускают на этот адрес из своей сети: тогда ответ знает только центр.`,
    ],
    OtherAnswers: [
      "На порту 80 этого имени отвечает другое устройство",
      ({ httpPort }) =>
        `Перенаправьте порт 80 роутера на порт ${httpPort} этого регистратора; часто там страница самого роутера. Прокси должен передавать /.well-known/acme-challenge/ без изменений.`,
    ],
    NoChallenge: [
      "Центр не может проверить это имя по HTTP",
      "Выберите другой центр или загрузите сертификат.",
    ],
    CertificateUnfit: [
      "Выданный сертификат не подходит",
      "Он не используется. Проверьте время регистратора, иначе сообщите тем, кто ведёт центр сертификации.",
    ],
    CannotKeep: [
      "Системный диск регистратора не принимает файлы",
      "Освободите на нём место и проверьте диск.",
    ],
    Other: ["Центр сертификации не выдаёт сертификат", "Посмотрите, что он сообщает."],
  },
};

/** A problem in the words of an installer. */
export function problemWords(
  problem: AcmeProblem,
  language: Language,
  place: ProblemPlace,
): { readonly title: string; readonly remedy: string } {
  const [title, remedy] = WORDS[language][problem];
  const about =
    place.name === "" ? title : `${place.name}: ${title.slice(0, 1).toLowerCase()}${title.slice(1)}`;
  return { title: about, remedy: typeof remedy === "string" ? remedy : remedy(place) };
}
