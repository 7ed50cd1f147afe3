import { dictionary } from "./language.js";

export const settingsWords = dictionary({
  en: {
    title: "Settings",
    notAllowed: "Settings are for administrators. Ask one to change your group.",
    parts: { users: "Users", network: "Network", system: "System", maintenance: "Maintenance", log: "Log" },
  },
  ru: {
    title: "Настройки",
    notAllowed: "Настройки доступны администраторам. Попросите одного из них изменить вашу группу.",
    parts: {
      users: "Пользователи",
      network: "Сеть",
      system: "Система",
      maintenance: "Обслуживание",
      log: "Журнал",
    },
  },
});
