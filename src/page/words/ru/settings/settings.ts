import type { words as en } from "../../en/settings/settings.js";

export const words: typeof en = {
  title: "Настройки",
  notAllowed: "Настройки доступны администраторам. Попросите одного из них изменить вашу группу.",
  parts: {
    cameras: "Камеры",
    disks: "Диски",
    alarms: "Оповещения",
    scenarios: "Сценарии",
    analysers: "Анализаторы",
    away: "Внешнее хранилище",
    users: "Пользователи",
    network: "Сеть",
    system: "Система",
    log: "Журнал",
    maintenance: "Обслуживание",
  },
};
