import type { words as en } from "../../en/settings/maintenance.js";

export const words: typeof en = {
  title: "Обслуживание",
  update: "Обновление",
  version: (version: string) => `Работает версия ${version}.`,
  updateWhy:
    "Новая версия устанавливается рядом с нынешней и испытывается. Если регистратор работает хуже прежнего, нынешняя вернётся сама. Записи и настройки сохраняются.",
  updateElsewhere:
    "Этот регистратор обновляется не отсюда, а средствами системы, в которой он установлен: установите там новый пакет.",
  updateButton: "Выбрать файл обновления",
  sending: (name: string) => `Файл ${name} передаётся. Не закрывайте страницу.`,
  refused: (why: string) => `Обновление не принято: ${why}`,
  phase: {
    receiving: (version: string) => `Версия ${version} принимается…`,
    checking: () => "Файл проверяется…",
    waiting: (version: string) => `Версия ${version} ждёт установки…`,
    installing: (version: string) => `Версия ${version} устанавливается, запись продолжается…`,
    installed: (version: string) => `Версия ${version} установлена. Устройство перезапускается…`,
    trial: (version: string) => `Версия ${version} испытывается: проверяется, всё ли работает…`,
    kept: (version: string) => `Версия ${version} работает и остаётся.`,
    rejected: (version: string) => `Версия ${version} работает хуже прежней. Прежняя возвращается…`,
    rolledBack: (version: string) => `От версии ${version} пришлось отказаться: снова работает прежняя.`,
    failed: (version: string) => `Версия ${version} не установлена. Ничего не изменилось.`,
  },
  configuration: "Настройки в файле",
  configurationWhy:
    "Камеры, пользователи, группы и остальные настройки одним файлом, без паролей. Перед загрузкой показывается, что изменится; пароли остаются как здесь.",
  exportButton: "Сохранить в файл",
  importButton: "Загрузить из файла",
  importTitle: (file: string) => `Загрузка ${file}`,
  noConfiguration: "В этом файле нет настроек регистратора.",
  wouldChange: "Изменится вот что:",
  wouldChangeNothing: "Ничего не изменится.",
  changeNow: "Изменить",
  changed: "Настройки изменены.",
  history: "Последние изменения",
  wholeHistory: "Показать все изменения",
  byRecorder: "регистратор",
  current: "Сейчас",
  revert: "Вернуть",
  revertNamed: (time: string) => `Вернуть настройки на ${time}`,
  revertTitle: (time: string) => `Настройки на ${time}`,
  unknownTime: "неизвестно когда",
  support: "Поддержка",
  supportWhy:
    "Файл с журналом, настройками и состоянием регистратора для тех, кто вам помогает. В нём нет паролей и изображений.",
  supportSave: "Сохранить файл для поддержки",
};
