import { counted, dictionary } from "./language.js";

const ENGLISH_DAYS = { one: "day", other: "days" };
const RUSSIAN_DAYS = { one: "день", few: "дня", many: "дней", other: "дня" };

/** How far back the recordings reach, and why. */
export const archiveWords = dictionary({
  en: {
    title: "How far back the recordings reach",
    cameras: "Cameras",
    measuring: "How long the recordings last is being measured. It is known some minutes after the start.",
    held: (days: string) => `About ${days} at today's rate.`,
    byAge: "As long as you have set for each camera: there is room for all of it.",
    used: (used: string, allowed: string) => `${used} of ${allowed} are used.`,
    allADay: (bytes: string) => `All cameras together record ${bytes} a day.`,
    isFull: "The disks are full: the oldest recordings make room for new ones by themselves.",
    fullOn: (day: string) =>
      `The disks are full about ${day}. Then the oldest recordings make room by themselves.`,
    noCameras: "There is no camera yet.",
    none: "–",
    aDay: (bytes: string) => `${bytes} a day`,
    forecast: (days: string) => `will reach back about ${days}`,
    older: (day: string) => `There are older pieces too, from ${day} on: protected ones, or on another disk.`,
    reasons: {
      began: (day: string) => `Recording began on ${day}. Nothing has been deleted.`,
      age: (days: number) =>
        `Older recordings are deleted after ${counted(days, ENGLISH_DAYS)}, as this camera is set.`,
      space: "Older recordings made room for new ones. Another disk, or a lower picture quality, keeps more.",
      minimum: (days: number) =>
        `Kept for the ${counted(days, ENGLISH_DAYS)} that are set at least; older recordings made room.`,
      minimumUnmet: (days: number) =>
        `${counted(days, ENGLISH_DAYS)} are set at least, but the disks are too small for that. Add a disk, or lower the picture quality.`,
      nothing: "Nothing is recorded yet. Is the camera there, and is its recording on?",
    },
  },
  ru: {
    title: "За сколько дней есть записи",
    cameras: "Камеры",
    measuring: "Измеряется, на сколько хватит записей. Это известно через несколько минут после начала.",
    held: (days: string) => `Примерно ${days} при нынешнем потоке.`,
    byAge: "Столько, сколько задано для каждой камеры: места хватает на всё.",
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
      age: (days: number) =>
        `Более старые записи удаляются: для камеры задано ${counted(days, RUSSIAN_DAYS)}.`,
      space:
        "Более старые записи уступили место новым. Больше поместится с ещё одним диском или с меньшим качеством.",
      minimum: (days: number) =>
        `Хранится заданный минимум: ${counted(days, RUSSIAN_DAYS)}. Более старые записи уступили место.`,
      minimumUnmet: (days: number) =>
        `Задано не меньше чем ${counted(days, RUSSIAN_DAYS)}, но диски для этого малы. Добавьте диск или уменьшите качество.`,
      nothing: "Записей ещё нет. Есть ли камера и включена ли её запись?",
    },
  },
});
