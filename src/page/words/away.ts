import { counted, dictionary, language } from "./language.js";

const figure = (value: number): string => value.toLocaleString(language.value, { maximumFractionDigits: 2 });

/** Storage off the box that recordings are sent to. */
export const awayWords = dictionary({
  en: {
    title: "Off-site storage",
    why: "The recorder sends recordings to S3 storage elsewhere: they are there when it is stolen or breaks.",
    add: "Add a storage",
    none: "Recordings are on this recorder alone.",
    off: "Switched off.",
    activities: {
      Starting: "Looks through the recordings.",
      Idle: "All is sent.",
      Sending: "Sends.",
      Paused: "Paused: the limit allows nothing now.",
      Failing: "Nothing goes.",
    },
    sent: (count: number, gb: number, month: number) =>
      `Sent: ${counted(count, { one: "piece", other: "pieces" })}, ${figure(gb)} GB; this month ${figure(month)} GB.`,
    waiting: (count: number, gb: number, day: string) =>
      `Waiting: ${counted(count, { one: "piece", other: "pieces" })}, ${figure(gb)} GB. The oldest is of ${day}.`,
    test: "Try it",
    works: "It takes recordings and gives them back.",
    isOn: "Is used",
    isOnHint: "Then it is tried before it is saved.",
    fields: {
      Endpoint: "Address",
      Region: "Region",
      Bucket: "Bucket",
      Prefix: "Folder, with a slash at the end",
      AccessKeyId: "Access key",
      KilobitsPerSecondMax: "At most kbit/s",
      GigabytesPerMonthMax: "At most GB a month",
    },
    noLimit: "Empty: no limit",
    secret: "Secret key",
    content: "What is sent",
    contents: {
      Everything: "Everything",
      Events: "Events and what is protected",
      Protected: "What is protected",
      KeyFrames: "Single pictures without sound",
      Nothing: "Nothing",
    },
    from: "From",
    beginnings: { Now: "Now on", Oldest: "The oldest recording on" },
    saved: (name: string) => `${name} is saved.`,
    remove: "Remove the storage",
    price: "Price for a GB and month",
    priceHint: "As your provider has it. It is not kept.",
    cost: (now: number, then: number) =>
      `What was sent costs at most ${figure(now)} a month; with what waits ${figure(then)}. Requests and reading are not in it.`,
  },
  ru: {
    title: "Внешнее хранилище",
    why: "Регистратор отправляет записи в хранилище S3 в другом месте: они останутся, если его украдут или он сломается.",
    add: "Добавить хранилище",
    none: "Записи есть только на этом регистраторе.",
    off: "Выключено.",
    activities: {
      Starting: "Просматривает записи.",
      Idle: "Всё отправлено.",
      Sending: "Отправляет.",
      Paused: "Пауза: сейчас ограничение ничего не пропускает.",
      Failing: "Ничего не отправляется.",
    },
    sent: (count: number, gb: number, month: number) =>
      `Отправлено частей: ${figure(count)}, ${figure(gb)} ГБ; в этом месяце ${figure(month)} ГБ.`,
    waiting: (count: number, gb: number, day: string) =>
      `Ждут отправки: ${figure(count)}, ${figure(gb)} ГБ. Самая старая за ${day}.`,
    test: "Проверить",
    works: "Оно принимает записи и отдаёт их.",
    isOn: "Используется",
    isOnHint: "Тогда перед сохранением оно проверяется.",
    fields: {
      Endpoint: "Адрес",
      Region: "Регион",
      Bucket: "Контейнер",
      Prefix: "Папка, с косой чертой в конце",
      AccessKeyId: "Ключ доступа",
      KilobitsPerSecondMax: "Не больше кбит/с",
      GigabytesPerMonthMax: "Не больше ГБ в месяц",
    },
    noLimit: "Пусто: без ограничения",
    secret: "Секретный ключ",
    content: "Что отправлять",
    contents: {
      Everything: "Всё",
      Events: "События и защищённое",
      Protected: "Защищённое",
      KeyFrames: "Отдельные кадры без звука",
      Nothing: "Ничего",
    },
    from: "Начиная",
    beginnings: { Now: "С этого времени", Oldest: "С самой старой записи" },
    saved: (name: string) => `Сохранено: ${name}.`,
    remove: "Удалить хранилище",
    price: "Цена за ГБ в месяц",
    priceHint: "Как у вашего поставщика. Она не сохраняется.",
    cost: (now: number, then: number) =>
      `Отправленное стоит не больше ${figure(now)} в месяц; вместе с ожидающим ${figure(then)}. Запросы и чтение сюда не входят.`,
  },
});
