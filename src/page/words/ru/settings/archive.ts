import type { words as en } from "../../en/settings/archive.js";
import { counted } from "../../language.js";

const DAYS = { one: "день", few: "дня", many: "дней", other: "дня" };

export const words: typeof en = {
  title: "За сколько дней есть записи",
  cameras: "Камеры",
  used: (used: string, allowed: string) => `Занято ${used} из ${allowed}.`,
  allADay: (bytes: string) => `Все камеры вместе записывают ${bytes} в день.`,
  isFull: "Диски заполнены: самые старые записи сами уступают место новым.",
  fullOn: (day: string) =>
    `Диски заполнятся примерно ${day}. Тогда самые старые записи сами будут уступать место.`,
  noCameras: "Камер ещё нет.",
  none: "–",
  aDay: (bytes: string) => `${bytes} в день`,
  forecast: (days: string) => `хватит примерно на ${days}`,
  older: (day: string) => `Есть и более старые фрагменты, с ${day}: защищённые или на другом диске.`,
  reasons: {
    began: (day: string) => `Запись началась ${day}. Ничего не удалялось.`,
    age: (days: number) => `Более старые записи удаляются: для камеры задано ${counted(days, DAYS)}.`,
    space:
      "Более старые записи уступили место новым. Больше поместится с ещё одним диском или с меньшим качеством.",
    minimum: (days: number) =>
      `Хранится заданный минимум: ${counted(days, DAYS)}. Более старые записи уступили место.`,
    minimumUnmet: (days: number) =>
      `Задано не меньше чем ${counted(days, DAYS)}, но диски для этого малы. Добавьте диск или уменьшите качество.`,
    nothing: "Записей ещё нет. Есть ли камера и включена ли её запись?",
  },
};
