import type { Guid, Language } from "../base/index.js";
import { EVENT_TYPE_LIST, EVENT_TYPES, type EventTypeName, eventTypeOf } from "./catalogue.js";
import type { EventType } from "./types.js";

/** The names of the event types in Russian; in English they stand in the catalogue. */
export const RUSSIAN_EVENT_NAMES = {
  motionDetected: "Обнаружено движение",
  faceRecognized: "Распознано лицо",
  plateRecognized: "Обнаружен автономер",
  fireDetected: "Обнаружен огонь",
  abandonedItemDetected: "Обнаружен оставленный предмет",
  emergencyVehicleDetected: "Обнаружен автомобиль экстренных служб",
  externalEvent: "Событие внешней системы",
  motionStarted: "Движение началось",
  motionEnded: "Движение закончилось",
  motionDetectorBlind: "Детектор движения не видит: считается, что движение есть",
  motionDetectorSees: "Детектор движения снова видит",
  tamperingStarted: "Камера сообщает о саботаже",
  tamperingEnded: "Камера сообщает, что саботаж закончился",
  inputActivated: "Цифровой вход камеры включён",
  inputDeactivated: "Цифровой вход камеры выключен",
  ruleTriggered: "Сработало правило аналитики камеры",
  ruleEnded: "Правило аналитики камеры больше не выполняется",
  serviceStarted: "Регистратор запущен",
  serviceStopped: "Регистратор остановлен",
  serviceInterrupted: "Регистратор в прошлый раз был остановлен не по порядку",
  apiUnreachable: "Регистратор недоступен по HTTP",
  apiReachable: "Регистратор снова доступен по HTTP",
  rtspUnreachable: "Регистратор недоступен по RTSP",
  rtspReachable: "Регистратор снова доступен по RTSP",
  configurationChanged: "Конфигурация изменена",
  clockSet: "Часы установлены: записи датированы заново",
  clockStepped: "Часы переведены",
  memoryShort: "Не хватает памяти: выполняется не всё",
  memoryEnough: "Памяти снова достаточно",
  networkTrial: "Сетевые настройки устройства испытываются",
  networkChanged: "Сетевые настройки устройства изменены",
  networkBack: "Сетевые настройки устройства не подтверждены: действуют прежние",
  directoryTried: "Администратор проверил вход через каталог",
  certificateChanged: "Сертификат HTTPS заменён",
  restartRequested: "Запрошен перезапуск регистратора",
  boxRestartRequested: "Запрошен перезапуск устройства",
  boxChanged: "Имя или часовой пояс устройства изменены",
  login: "Пользователь вошёл",
  loginFailed: "Вход не удался: неверное имя или пароль",
  lockOut: "Вход заблокирован после множества неудачных попыток",
  cameraLost: "Потеряна связь с камерой",
  cameraBack: "Связь с камерой восстановлена",
  recordingStarted: "Запись начата",
  recordingStopped: "Запись остановлена",
  recordingSwitchedOn: "Запись включена пользователем",
  recordingSwitchedOff: "Запись выключена пользователем",
  recordingModeChanged: "Режим записи изменён",
  framesLost: "Потеряны кадры на пути от камеры",
  volumeLost: "Диск архива потерян",
  volumeBack: "Диск архива используется",
  diskFailing: "Диск сообщает, что выходит из строя",
  diskWorn: "Ресурс диска подходит к концу",
  diskWell: "Диск снова сообщает, что исправен",
  diskSilent: "Диск больше не сообщает о своём состоянии",
  diskHot: "Диск перегрет",
  diskCool: "Диск остыл",
  diskVanished: "Диск пропал",
  diskAppeared: "Диск найден",
  diskFormatted: "Диск отформатирован для записей",
  volumeAdopted: "Диск архива принят",
  volumeRetired: "Диск архива выведен: новое на него не записывается",
  volumeCalledBack: "На диск архива снова ведётся запись",
  volumeForgotten: "Диск архива исключён: его записей в архиве больше нет",
  volumeFull: "Диск архива заполнен: удалять больше нечего",
  volumeTooSmall: "Диск архива ничего не хранит: резерв не оставляет места для записи",
  volumeFullEnded: "На диске архива снова есть место",
  thinningStarted: "Архив перегружен: записываются только ключевые кадры",
  thinningEnded: "Архив снова записывает все кадры",
  droppingStarted: "Архив перегружен: запись прервана",
  droppingEnded: "Архив снова ведёт запись",
  minDaysUnmet: "Архив короче минимального числа дней для камеры",
  minDaysMet: "Архив снова не короче минимального числа дней для камеры",
  indexLost: "Индекс архива потерян: он строится заново",
  indexRebuilt: "Индекс архива построен заново",
  indexFailing: "Индекс архива не записывается",
  indexWorks: "Индекс архива снова записывается",
  archiveProtected: "Записи защищены от удаления",
  archiveProtectionLifted: "Защита записей снята",
  archiveDeleted: "Записи удалены",
  exportMade: "Записи экспортированы",
  eventLogLost: "Журнал событий повреждён: начат новый",
  eventLogFailing: "Журнал событий не записывается",
  eventLogWorks: "Журнал событий снова записывается",
  eventsDropped: "События потеряны: журнал слишком долго не записывался",
  awayFailing: "Записи не отправляются во внешнее хранилище",
  awayWorks: "Записи снова отправляются во внешнее хранилище",
  awayMissed: "Записи удалены раньше, чем отправлены во внешнее хранилище",
  awayDamaged: "Запись во внешнем хранилище отсутствует или изменена",
  alarmsFailing: "Тревоги не отправляются",
  alarmsWork: "Тревоги снова отправляются",
  mqttLost: "Брокер MQTT недоступен",
  mqttBack: "Брокер MQTT снова доступен",
  mqttCommand: "Команда по MQTT",
  outputSwitched: "Переключён выход камеры",
  monitoringFailing: "Служба мониторинга недоступна",
  monitoringWorks: "Служба мониторинга снова доступна",
  scenarioStarted: "Сценарий запущен",
  scenarioEnded: "Сценарий завершён",
  scenarioFailed: "Сбой сценария",
  scenarioAlarm: "Тревога сценария",
  scenarioEvent: "Событие сценария",
  taskStarted: "Пользователь начал длительную работу",
  taskEnded: "Длительная работа закончилась",
  updateInstalled: "Обновление установлено: перезапуск",
  updateKept: "Обновление принято",
  updateRolledBack: "Обновление отменено: работает прежняя версия",
  updateFailed: "Обновление не установлено",
  keepAlive: "Соединение работает",
} as const satisfies Readonly<Record<EventTypeName, string>>;

const RUSSIAN_BY_ID: ReadonlyMap<Guid, string> = new Map(
  (Object.keys(EVENT_TYPES) as EventTypeName[]).map((name) => [
    EVENT_TYPES[name].id,
    RUSSIAN_EVENT_NAMES[name],
  ]),
);

/** The name of a type in a language; empty where there is no such type. */
export function eventNameIn(id: Guid, language: Language): string {
  const type = eventTypeOf(id);
  if (type === undefined) return "";
  return language === "ru" ? (RUSSIAN_BY_ID.get(type.id) ?? type.name) : type.name;
}

/** The catalogue with its names in a language. */
export function eventTypesIn(language: Language): readonly EventType[] {
  return EVENT_TYPE_LIST.map((type) => ({ ...type, name: eventNameIn(type.id, language) }));
}

/** Whether a text is the name of the type, in any of the languages. */
export function isEventName(id: Guid, text: string): boolean {
  const type = eventTypeOf(id);
  return type !== undefined && (text === type.name || text === RUSSIAN_BY_ID.get(type.id));
}
