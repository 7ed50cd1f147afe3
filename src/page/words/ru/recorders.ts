import type { words as en } from "../en/recorders.js";
import { counted } from "../language.js";

const cameras = (count: number) =>
  counted(count, { one: "камера", few: "камеры", many: "камер", other: "камеры" });
const disks = (count: number) =>
  counted(count, { one: "диск", few: "диска", many: "дисков", other: "диска" });

export const words: typeof en = {
  title: "Регистраторы",
  allWell: "Все регистраторы на связи, всё в порядке.",
  attention: (count, all) => `Требуют внимания: ${count} из ${all}.`,
  none: "К этому центру ещё не присоединён ни один регистратор.",
  noneHint: "Код для регистратора: Настройки, Центр, Добавить регистратор.",
  add: "Добавить или удалить регистраторы",
  search: "Поиск по имени",
  nothingFound: "Регистратора с таким именем нет.",
  version: (version) => `Версия ${version}`,
  versions: "У регистраторов разные версии.",
  present: "На связи",
  well: "Всё в порядке.",
  cameras,
  noCameras: "Камер нет",
  lost: (lost, all) => `Потеряно: ${lost} из ${cameras(all)}`,
  disks,
  noDisks: "Диска нет",
  diskFault: (bad, all) => `Неисправно: ${bad} из ${disks(all)}`,
  daysLeft: (days) => `Места на ${days}`,
  more: (count) =>
    `И ещё ${counted(count, { one: "проблема", few: "проблемы", many: "проблем", other: "проблемы" })}.`,
  before: "Когда он был на связи в последний раз:",
  silent: (since, why) => `Молчит с ${since}: ${why}.`,
  readOffSite: "Его записи показаны из внешнего хранилища.",
  absent: (why) => `Нет связи: ${why}.`,
  silences: {
    Never: "ещё не выходил на связь",
    Started: "не выходил на связь с запуска центра",
    Ended: "соединение прервалось",
    Silent: "перестал отвечать",
    Closed: "соединение закрыл центр",
  },
  hubProblem: (problem) => `Регистраторы не могут соединиться: ${problem}`,
  open: (name) => `Открыть ${name}`,
  views: { list: "Список", map: "Карта", updates: "Обновления", templates: "Шаблоны" },
  map: {
    title: "Карта",
    nobody: "На карте пока нет регистраторов.",
    choose: "Выберите регистратор на карте.",
    notPlaced: "Не на карте",
    notPlacedHint:
      "Регистратор стоит там, где его камеры, если их положение задано в настройках, или там, куда его поставят здесь.",
    latitude: "Широта",
    longitude: "Долгота",
    clickHint: "В градусах. Щелчок по карте заполнит оба поля.",
    toCameras: "К его камерам",
    nearer: "Ближе",
    farther: "Дальше",
    all: "Все регистраторы",
    several: (count, state) =>
      `${counted(count, { one: "регистратор", few: "регистратора", many: "регистраторов", other: "регистратора" })}: ${state}`,
    states: {
      well: "всё в порядке",
      warning: "требует внимания",
      error: "требует внимания сейчас",
      silent: "молчит",
    },
  },
};
