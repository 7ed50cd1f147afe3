import type { words as en } from "../en/figures.js";
import { counted } from "../language.js";

export const words: typeof en = {
  days: (count: number) => counted(count, { one: "день", few: "дня", many: "дней", other: "дня" }),
  hours: (count: number) => counted(count, { one: "час", few: "часа", many: "часов", other: "часа" }),
  minutes: (count: number) => `${count} мин`,
};
