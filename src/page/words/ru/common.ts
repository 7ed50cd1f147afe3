import type { words as en } from "../en/common.js";
import { LOADING } from "../loading.js";

export const words: typeof en = {
  ...LOADING.ru,
  wall: "Сейчас",
  playback: "Записи",
  review: "Обзор",
  events: "События",
  recorders: "Регистраторы",
  allRecorders: "Все регистраторы",
  settings: "Настройки",
  account: "Учётная запись",
  skip: "К содержимому",
  navigation: "Главное меню",
  wholePicture: (scale: number) =>
    `Показать картинку целиком (сейчас увеличена в ${scale.toFixed(1).replace(".", ",")} раза)`,
  close: "Закрыть",
  cancel: "Отмена",
  save: "Сохранить",
  remove: "Удалить",
  show: "Показать",
  undo: "Вернуть",
  unsaved: "Уйти без сохранения?",
  unsavedHint: "То, что вы изменили в форме, не сохранено.",
  stay: "Остаться",
  leave: "Уйти без сохранения",
  offline: "Регистратор не отвечает. Страница продолжит сама, когда он ответит.",
  unknownError: "В регистраторе произошла ошибка. Повторите; если не поможет, посмотрите его журнал.",
  keys: "Клавиши",
  keysHint: "Клавиши этой страницы",
};
