import type { words as en } from "../../en/settings/programs.js";

export const words: typeof en = {
  title: "Другие программы",
  why: "То, что работает с регистратором без этой страницы. Заведите каждой программе своего пользователя в разделе «Пользователи».",
  broker: "Умный дом (MQTT)",
  brokerWhy:
    "Состояния, события и кадры движения передаются брокеру MQTT. Home Assistant сам находит там регистратор и его камеры.",
  none: "Брокер не настроен.",
  off: "Брокер выключен.",
  connected: (url: string) => `Подключено к ${url}.`,
  connecting: (url: string) => `Подключение к ${url}.`,
  notConnected: (url: string, problem: string) =>
    `Нет подключения к ${url}: ${problem}. Попытки продолжаются.`,
  setWhere: (isOwn: boolean, file: string | null) =>
    isOwn
      ? `Он задан здесь.${file === null ? "" : ` Брокер из файла настроек (${file}) не используется.`}`
      : file === null
        ? "Его можно задать здесь, он используется сразу."
        : "Он задан в файле настроек регистратора. Заданное здесь важнее.",
  setUp: "Настроить брокер",
  remove: "Убрать заданное здесь",
  removeSure: "Точно убрать? Передача прекратится",
  saved: "Брокер используется.",
  more: "Ещё",
  fields: {
    IsEnabled: "Регистратор передаёт данные этому брокеру",
    Url: "Адрес брокера",
    Login: "Имя для входа у брокера",
    Password: "Пароль у брокера",
    UserName: "От имени пользователя",
    Prefix: "Начало тем",
    DiscoveryPrefix: "Home Assistant ищет устройства в",
    Authority: "Сертификаты, которым доверять (PEM)",
  },
  hints: {
    Url: (example: string) => `${example} или mqtts:// для шифрованного соединения.`,
    Login: (example: string) => `Например, ${example}. Пусто: брокер не спрашивает имени.`,
    Prefix: (example: string) => `Обычно ${example}.`,
    DiscoveryPrefix: (example: string) => `Обычно ${example}. Пусто: Home Assistant ничего не получает.`,
  },
  passwordHint: "Пусто: как прежде. Для другого адреса или имени он нужен снова.",
  nobody: "Ничьего",
  nobodyHint: "Передаётся всё, команды не принимаются.",
  userHint:
    "Передаётся то, что видит этот пользователь. Кто может писать брокеру, тот командует регистратором с его правами.",
  tryIt: "Проверить",
  trying: "Брокер проверяется.",
  accepted: "Брокер принимает регистратор.",
  refused: (problem: string) => `Не получается: ${problem}.`,
};
