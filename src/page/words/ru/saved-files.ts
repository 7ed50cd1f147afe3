import type { words as en } from "../en/saved-files.js";

/** Words of the list of files that lie on the recorder. */
export const words: typeof en = {
  kept: "Файлы на регистраторе",
  keptHint: (days: number) =>
    `Каждый хранится ${days} дней. Чтобы он остался дольше, сохраните его на это устройство.`,
  room: (size: string) => `Для других файлов осталось ${size}.`,
  inLine: "Ждёт своей очереди.",
  making: (percent: number) => `Готово ${percent} %.`,
  about: (size: string) => `около ${size}`,
  failed: (why: string) => `Не сделан: ${why}`,
  until: (day: string) => `до ${day}`,
  remove: "Удалить",
  removeSure: "Удалить этот файл с регистратора? Записи останутся.",
};
