import type { words as en } from "../../en/settings/settings.js";
import { counted } from "../../language.js";

export const words: typeof en = {
  title: "Настройки",
  search: "Найти настройку",
  nothingFound: "Так ни одна настройка не называется.",
  found: (count: number) =>
    `Найдено: ${counted(count, { one: "настройка", few: "настройки", many: "настроек", other: "настройки" })}`,
  notAllowed: "Настройки доступны администраторам. Попросите одного из них изменить вашу группу.",
  parts: {
    cameras: "Камеры",
    disks: "Диски",
    alarms: "Оповещения",
    scenarios: "Сценарии",
    analysers: "Анализаторы",
    away: "Внешнее хранилище",
    users: "Пользователи",
    programs: "Другие программы",
    fleet: "Центр",
    network: "Сеть",
    system: "Система",
    log: "Журнал",
    maintenance: "Обслуживание",
  },
};
