import type { words as en } from "../en/figures.js";
import { counted } from "../language.js";

export const words: typeof en = {
  days: (count: number) => counted(count, { one: "день", few: "дня", many: "дней", other: "дня" }),
  hours: (count: number) => counted(count, { one: "час", few: "часа", many: "часов", other: "часа" }),
  minutes: (count: number) => `${count} мин`,
  lasting: {
    held: (days: string) => `При нынешнем потоке записей хватит примерно на ${days}.`,
    measuring: "Измеряется, на сколько хватит записей. Это известно через несколько минут после начала.",
    byAge: "Записей хватит на столько, сколько задано для каждой камеры: места хватает на всё.",
  },
};
