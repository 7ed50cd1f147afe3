import { counted, dictionary } from "./language.js";

/** The check of all recordings. */
export const checkWords = dictionary({
  en: {
    title: "Check the recordings",
    why: "Looks whether all recordings are there and can be read, while recording goes on.",
    check: "Check",
    deep: "Check every byte",
    repair: "Repair",
    cancel: "Stop the check",
    running: "The recordings are being checked",
    hint: "Checking every byte reads the disks from end to end: that can take a day. You may close this page meanwhile.",
    clean: (files: number) =>
      `All is well: ${counted(files, { one: "recording file", other: "recording files" })} checked.`,
    found: (problems: number) =>
      `${counted(problems, { one: "fault", other: "faults" })} found. Repair writes the list of recordings anew from the recordings themselves; it deletes none.`,
    repaired: (count: number) => `${counted(count, { one: "fault", other: "faults" })} found and repaired.`,
    cancelled: "The check was stopped.",
    failed: (reason: string) => `The check could not be made: ${reason}`,
    details: "The report in detail",
  },
  ru: {
    title: "Проверка записей",
    why: "Проверяется, все ли записи на месте и читаются ли они. Запись при этом продолжается.",
    check: "Проверить",
    deep: "Проверить каждый байт",
    repair: "Исправить",
    cancel: "Остановить проверку",
    running: "Записи проверяются",
    hint: "При проверке каждого байта диски читаются целиком: это может занять сутки. Страницу можно закрыть.",
    clean: (files: number) =>
      `Всё в порядке: проверено ${counted(files, { one: "файл записей", few: "файла записей", many: "файлов записей", other: "файла записей" })}.`,
    found: (problems: number) =>
      `Найдено ${counted(problems, { one: "неисправность", few: "неисправности", many: "неисправностей", other: "неисправности" })}. Исправление заново составит список записей по самим записям; ни одна не удаляется.`,
    repaired: (count: number) =>
      `Найдено и исправлено: ${counted(count, { one: "неисправность", few: "неисправности", many: "неисправностей", other: "неисправности" })}.`,
    cancelled: "Проверка остановлена.",
    failed: (reason: string) => `Проверить не удалось: ${reason}`,
    details: "Подробный отчёт",
  },
});
