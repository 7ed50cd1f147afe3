import type { words as en } from "../../en/settings/history.js";

export const words: typeof en = {
  title: "Что делало устройство",
  span: "За какое время",
  spans: { Day: "Сутки", Month: "Месяц" },
  graph: {
    cpu: "Процессор",
    memory: "Память",
    network: "Сеть",
    disk: "Запись на диски",
    temperature: "Температура",
    depth: "За какое время есть записи",
  },
  unknown: {
    cpu: "Пока ничего не известно. Первые данные появятся через минуту-две.",
    memory: "Пока ничего не известно. Первые данные появятся через минуту-две.",
    network: "Пока ничего не известно. Первые данные появятся через минуту-две.",
    disk: "Устройство не сообщает, сколько пишется на его диски.",
    temperature: "В устройстве нет датчика.",
    depth: "Пока ничего не известно.",
  },
  line: { in: "Принято", out: "Отправлено" },
  now: (value: string) => `Сейчас ${value}.`,
  summary: (mean: string, peak: string, when: string) => `В среднем ${mean}, не более ${peak} (${when}).`,
  asTable: (graph: string) => `${graph}: таблица`,
  hourColumn: "С",
  dayColumn: "День",
  meanColumn: "В среднем",
  peakColumn: "Не более",
  unit: {
    percent: (value: string) => `${value} %`,
    megabits: (value: string) => `${value} Мбит/с`,
    megabytes: (value: string) => `${value} МБ/с`,
    celsius: (value: string) => `${value} °С`,
    days: (value: string) => `${value} сут`,
  },
};
