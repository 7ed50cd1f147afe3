import type { words as en } from "../../en/settings/system.js";
import { counted } from "../../language.js";

export const words: typeof en = {
  title: "Система",
  state: {
    ok: "Регистратор исправен.",
    warning: "Регистратор работает, но кое-что требует внимания.",
    error: "Записи теряются или скоро начнут теряться.",
  },
  recorded: (recording: number, toRecord: number) =>
    toRecord === 0
      ? "Сейчас записывать нечего."
      : `Сейчас записывается ${recording} из ${counted(toRecord, { one: "камеры", few: "камер", many: "камер", other: "камеры" })}.`,
  depth: (days: string) => `Есть записи за ${days}.`,
  problems: "Что требует внимания",
  severity: { error: "Ошибка", warning: "Предупреждение" },
  about: "Устройство",
  version: "Версия",
  time: "Время",
  timeFrom: "Откуда время",
  witness: {
    "time-server": "сервер времени",
    "battery-clock": "часы устройства с батареей",
    host: "компьютер, на котором работает регистратор",
    set: "кто-то установил его",
    operator: "подтвердил администратор",
    settings: "по настройкам регистратора оно верное",
    nobody: "ниоткуда: оно может быть неверным",
  },
  timeIsRight: "Это время верное",
  timeConfirmed: "Время считается верным.",
  boxUp: "Включено",
  recorderUp: "Запись идёт",
  starts: "Прежние запуски регистратора",
  started: (from: string, to: string) => `С ${from} по ${to}`,
  since: (from: string) => `С ${from}`,
  end: {
    stopped: "остановлен как положено",
    updated: "завершён для обновления",
    failed: "не смог продолжать",
    crashed: "завершён ошибкой",
    killed: "завершён извне",
    "power-lost": "пропало питание",
    running: "работает",
  },
  restart: "Перезапуск",
  restartWhy: "На это время запись прерывается. Страница продолжит сама.",
  restartButton: { Recorder: "Перезапустить регистратор", Box: "Перезапустить устройство" },
  restartSure: {
    Recorder: "Запись прервётся на несколько секунд и продолжится сама. Просмотр у всех прервётся.",
    Box: "Запись прервётся примерно на две минуты и продолжится сама. Просмотр у всех прервётся.",
  },
  restartNow: "Перезапустить сейчас",
  restarting: { Recorder: "Регистратор перезапускается…", Box: "Устройство перезапускается…" },
  isBack: { Recorder: "Регистратор снова работает.", Box: "Устройство снова работает." },
};
