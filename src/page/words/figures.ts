import { counted, dictionary } from "./language.js";

/** Lengths of time that recordings last. */
export const figureWords = dictionary({
  en: {
    days: (count: number) => counted(count, { one: "day", other: "days" }),
    hours: (count: number) => counted(count, { one: "hour", other: "hours" }),
    minutes: (count: number) => counted(count, { one: "minute", other: "minutes" }),
  },
  ru: {
    days: (count: number) => counted(count, { one: "день", few: "дня", many: "дней", other: "дня" }),
    hours: (count: number) => counted(count, { one: "час", few: "часа", many: "часов", other: "часа" }),
    minutes: (count: number) => `${count} мин`,
  },
});
