import type { words as en } from "../../en/settings/smart.js";

export const words: typeof en = {
  details: "Состояние",
  detailsOf: (name: string) => `Состояние: ${name}`,
  saysFailing: "так говорит он сам",
  nothing: "Этот диск о себе не сообщает. Так бывает у виртуальных дисков, карт памяти и некоторых корпусов.",
  why: {
    good: "О неисправностях он не сообщает.",
    worn: "Срок, на который он рассчитан, подходит к концу, или на нём появились первые плохие места.",
    failing: "Он потерял данные или предупреждает об этом. Записи на нём могут пропасть в любой день.",
    unknown: "Он уже давно не отвечает.",
  },
  figures: "Что диск считает сам",
  figure: {
    TemperatureCelsius: "Температура",
    PowerOnHours: "Проработал",
    BytesWritten: "Записано за всё время",
    ReallocatedSectors: "Плохие места, которые он заменил",
    PendingSectors: "Места, которые сейчас не читаются",
    OfflineUncorrectable: "Нечитаемые места по его собственной проверке",
    UncorrectableErrors: "Ошибки, которые не удалось исправить",
    CommandTimeouts: "Слишком долгие команды (кабель, питание)",
    PercentageUsed: "Израсходовано ресурса",
    AvailableSparePercent: "Осталось запасных блоков",
  },
  history: "С течением времени",
  trend: (from: string, to: string, values: string) => `${from} – ${to}: ${values}`,
  range: (low: string, high: string) => `от ${low} до ${high}`,
  tooYoung: "Регистратор сохраняет эти данные раз в день и хранит годами. История появится на второй день.",
  lifeUsed: (percent: number) => `Израсходовано ${percent} % ресурса.`,
  lasts: (time: string) => `При таком износе остатка хватит примерно на ${time}.`,
  lastsLong: "При таком износе остатка хватит больше чем на десять лет.",
  written: (written: string) => `В год на него записывается примерно ${written}.`,
  workload: (written: string, rating: string, percent: number) =>
    `В год на него записывается примерно ${written}: ${percent} % от ${rating}, на которые он рассчитан.`,
  overworked: (written: string, rating: string, percent: number) =>
    `В год на него записывается примерно ${written}: ${percent} % от ${rating}, на которые он рассчитан. Добавьте диск или уменьшите качество.`,
};
