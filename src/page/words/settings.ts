import { dictionary } from "./language.js";

export const settingsWords = dictionary({
  en: {
    title: "Settings",
    notAllowed: "Settings are for administrators. Ask one to change your group.",
    parts: {
      cameras: "Cameras",
      disks: "Disks",
      alarms: "Alarms",
      scenarios: "Scenarios",
      analysers: "Analysers",
      away: "Off-site storage",
      users: "Users",
      network: "Network",
      system: "System",
      log: "Log",
      maintenance: "Maintenance",
    },
  },
  ru: {
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
  },
});
