import type { Language, ObjectLabel, SentenceTemplate } from "../base/index.js";
import { LOSS_IDS } from "../contract/answer/index.js";
import { keyWaitText, lossWords } from "../live/index.js";
import { EVENT_TYPES, type EventTypeName } from "./catalogue.js";
import { RUSSIAN_EVENT_NAMES } from "./event-names.js";
import { EVENT_KINDS, seenTypeNames } from "./seen-types.js";

const STREAMS: readonly SentenceTemplate[] = [
  ["Main", "основной поток"],
  ["Alternative", "дополнительный поток"],
  ["SecondAlternative", "второй дополнительный поток"],
  ["ThirdAlternative", "третий дополнительный поток"],
];

const MODES: readonly SentenceTemplate[] = [
  ["AlwaysOn", "постоянно"],
  ["BySchedule", "по расписанию"],
  ["OnlyManual", "только вручную"],
  ["MDandManual", "по движению и вручную"],
  ["off", "выключена"],
];

/** What of a camera's stream cannot be recorded, and why. */
const UNRECORDED: readonly SentenceTemplate[] = [
  ...[60_000_000, undefined].map((intervalUs): SentenceTemplate => {
    const words = (language: Language) => keyWaitText(intervalUs, language).replace("60", "{=s}");
    return [words("en"), words("ru")];
  }),
  ...LOSS_IDS.flatMap((id) =>
    ["{=detail}", ""].map((detail): SentenceTemplate => {
      return [lossWords({ id, detail }, "en")[0], lossWords({ id, detail }, "ru")[0]];
    }),
  ),
];

/** Why a camera's stream is lost. */
const LOSSES: readonly SentenceTemplate[] = [
  ["the camera ended the stream", "камера прекратила передачу"],
  ["no frames from the camera for {=s} s", "от камеры нет кадров {=s} с"],
  [
    "the camera plays, but {=what} came within {=s} s",
    "камера отвечает, но за {=s} с ничего не передала ({=what})",
  ],
  ["the camera has dropped the session", "камера больше не знает этого сеанса"],
  [
    "a web server answers at {=place}: check that the port is the camera's RTSP port, which is usually 554",
    "{=place}: отвечает веб-сервер; проверьте, что это порт RTSP камеры, обычно 554",
  ],
  [
    "{=place} takes encrypted connections only: write rtsps:// in place of rtsp://, or use the camera's port for RTSP",
    "{=place} принимает только защищённые соединения: замените rtsp:// на rtsps:// или укажите порт RTSP камеры",
  ],
  ["{=place} closed the connection", "{=place}: соединение закрыто"],
  ["{=place} ended the session", "{=place}: сеанс завершён"],
  ["{=place} reset the connection", "{=place}: соединение сброшено"],
  [
    "{=place} refuses the connection: check the port; the camera may still be starting",
    "{=place}: в соединении отказано; проверьте порт, или камера ещё запускается",
  ],
  [
    "{=place} refuses the secure connection: switch RTSPS on in the camera, check its port, or it is starting",
    "{=place}: в защищённом соединении отказано; включите RTSPS в камере, проверьте порт, или камера запускается",
  ],
  [
    "the name of {=place} is unknown: check the address and the DNS server",
    "имя {=place} неизвестно: проверьте адрес и сервер DNS",
  ],
  [
    "{=place} cannot be reached: check power, cable and address",
    "{=place} недоступен: проверьте питание, кабель и адрес",
  ],
  [
    "{=place} does not answer within {=s} s: check power, cable and address",
    "{=place} не отвечает {=s} с: проверьте питание, кабель и адрес",
  ],
  ["{=place} does not answer {=request} within {=s} s", "{=place} не отвечает на {=request} {=s} с"],
  [
    "the secure connection to {=place} failed ({=code}): check the camera's certificate and time",
    "защищённое соединение с {=place} не удалось ({=code}): проверьте сертификат и время камеры",
  ],
  [
    "{=place} shows another certificate than before, so the login is not sent to it: was the camera replaced, reset or given a new certificate? Then accept the new one in its settings; else another device is in its place",
    "{=place}: сертификат не тот, что был раньше, поэтому имя и пароль не передаются. Камеру заменили, сбросили или дали ей новый сертификат? Тогда примите его в её настройках; иначе на её месте другое устройство",
  ],
  [
    "{=place} offers no RTSP over HTTP ({=code}): use rtsp://, or switch it on in the camera",
    "{=place} не поддерживает RTSP через HTTP ({=code}): используйте rtsp:// или включите это в камере",
  ],
  [
    "{=place} does not speak HTTP: check the port of the tunnel",
    "{=place} не отвечает по HTTP: проверьте порт туннеля",
  ],
  [
    "the camera sends the keys of its encrypted pictures unencrypted, so that they protect nothing: use rtsps://, or switch SRTP off in the camera",
    "камера передаёт ключи шифрования видео открыто, и они ничего не защищают: используйте rtsps:// или выключите SRTP в камере",
  ],
  [
    "the camera plays, but its packets do not fit the keys that it names (SRTP)",
    "камера передаёт, но её пакеты не подходят к объявленным ключам (SRTP)",
  ],
  ["the connection to {=place} failed ({=code})", "соединение с {=place} не удалось ({=code})"],
  ["the connection to {=place} failed", "соединение с {=place} не удалось"],
  [
    "the camera has no stream at this address ({=status}): check the path",
    "у камеры нет потока по этому адресу ({=status}): проверьте путь",
  ],
  [
    "the camera denies this user the stream ({=status}): check its rights",
    "камера не даёт поток этому пользователю ({=status}): проверьте его права",
  ],
  [
    "the camera is busy ({=status}): it may have too many viewers; streams that already run continue",
    "камера занята ({=status}): возможно, у неё слишком много зрителей; начатые потоки продолжаются",
  ],
  ["the camera answered {=request} with {=status}", "камера ответила на {=request}: {=status}"],
  ["the camera asks for a user name and a password: enter them", "камера требует имя и пароль: введите их"],
];

/** Why something is recorded, or no more. */
const RECORDING: readonly SentenceTemplate[] = [
  ["always recorded", "запись идёт постоянно"],
  [
    "by schedule; its times are unknown, because the clock is not set",
    "по расписанию; его время неизвестно, потому что часы не установлены",
  ],
  ["by schedule", "по расписанию"],
  ["started by the scenario {=name}", "включил сценарий {=name}"],
  ["started by {=user}", "включил {=user}"],
  ["the motion detector cannot see", "детектор движения не видит"],
  ["reported by the camera: {seen} ({=name})", "сообщила камера: {seen} ({=name})"],
  ["no longer reported by the camera: {seen} ({=name})", "камера больше не сообщает: {seen} ({=name})"],
  // Of events that were stored before December 2026.
  ["told by the camera: {seen} ({=name})", "сообщила камера: {seen} ({=name})"],
  ["no longer told by the camera: {seen} ({=name})", "камера больше не сообщает: {seen} ({=name})"],
  ["an analyser found something", "анализатор что-то нашёл"],
  ["an analyser finds nothing more", "анализатор больше ничего не находит"],
  ["the motion detector sees again", "детектор движения снова видит"],
  ["motion in {=zone}", "движение: {=zone}"],
  ["motion", "движение"],
  ["the channel is switched off", "камера выключена"],
  ["recording is switched off", "запись выключена"],
  ["the schedule's time is over", "время расписания закончилось"],
  ["motion ended", "движение закончилось"],
  ["stopped by hand", "остановлено вручную"],
  ["the scenario's time is over", "время сценария закончилось"],
  ["recording mode is {mode}", "режим записи: {mode}"],
  ["nothing reaches the disk", "на диск ничего не попадает"],
  ["the camera sends nothing", "камера ничего не передаёт"],
];

const MOTION: readonly SentenceTemplate[] = [
  ["seen by the recorder", "увидел регистратор"],
  ["reported by the camera", "сообщила камера"],
  ["reported by another program", "сообщила другая программа"],
  ["the recorder's detector cannot see", "детектор регистратора не видит"],
];

/** What cameras report, by the names of its events. */
const SEEN: readonly SentenceTemplate[] = EVENT_KINDS.map((kind) => {
  const [name] = seenTypeNames(kind);
  return [EVENT_TYPES[name].name, RUSSIAN_EVENT_NAMES[name]];
});

/** What the recorder's own detector distinguishes. */
const THINGS: readonly SentenceTemplate[] = (
  [
    ["person", "человек"],
    ["bicycle", "велосипед"],
    ["car", "автомобиль"],
    ["motorcycle", "мотоцикл"],
    ["bus", "автобус"],
    ["truck", "грузовик"],
    ["cat", "кошка"],
    ["dog", "собака"],
  ] as const satisfies readonly (readonly [ObjectLabel, string])[]
).map(([label, russian]) => [label, russian]);

const LOGINS: readonly SentenceTemplate[] = [
  ["{=user} from {=address} (through the hub)", "{=user}, адрес {=address} (через центр)"],
  ["{=user} from {=address} (directory user)", "{=user}, адрес {=address} (пользователь каталога)"],
  ["{=user} from {=address}", "{=user}, адрес {=address}"],
];

const NOUNS: readonly (readonly [one: string, several: string, russian: string])[] = [
  ["camera", "cameras", "камеры"],
  ["group", "groups", "группы"],
  ["user scenario", "user scenarios", "сценарии пользователей"],
  ["user", "users", "пользователи"],
  ["view", "views", "раскладки"],
  ["alarm target", "alarm targets", "получатели тревог"],
  ["away target", "away targets", "внешние хранилища"],
  ["analyser", "analysers", "анализаторы"],
  ["security object", "security objects", "объекты охраны"],
];

/** What of it changed, in the order in which it is written; what is not here stays as it is. */
const MEMBERS: readonly SentenceTemplate[] = [
  ["{member}, {member}", "{member}, {member}"],
  ["name", "название"],
  ["description", "описание"],
  ["password", "пароль"],
  ["group", "группа"],
  ["rights", "права"],
  ["comment", "примечание"],
  ["channels", "камеры"],
  ["connection", "подключение"],
  ["recording", "запись"],
  ["disabled", "включение"],
  ["enabled", "включение"],
  ["events", "события"],
  ["events of the recorder", "события регистратора"],
  ["messages an hour", "сообщений в час"],
  ["quiet hours", "тихие часы"],
  ["sending hours", "часы сообщений"],
  ["address", "адрес"],
  ["other settings", "прочие настройки"],
  // As former versions wrote them.
  ["kept", "прочие настройки"],
  ["archive", "запись"],
];
const VERBS: readonly SentenceTemplate[] = [
  ["added", "добавлены"],
  ["changed", "изменены"],
  ["removed", "удалены"],
];

/** What changed in the configuration; several are joined by a semicolon. */
const CHANGES: readonly SentenceTemplate[] = [
  ["{change}; {change}", "{change}; {change}"],
  ["nothing changed", "ничего не изменено"],
  ["not known", "неизвестно"],
  ["first configuration", "первые настройки"],
  ["list of cameras changed", "изменён список камер"],
  ["imported: {change}", "загружено из файла: {change}"],
  ["reverted to revision {=number}: {change}", "возвращено к версии {=number}: {change}"],
  ["user changed its own password", "пользователь сменил свой пароль"],
  ["camera found at a new address: {=names}", "камера найдена по новому адресу: {=names}"],
  ["as found at the device: {=names}", "по данным устройства: {=names}"],
  ...NOUNS.flatMap(([one, several, russian]) =>
    VERBS.flatMap(([verb, done]): SentenceTemplate[] => [
      [`${one} {=names} ({member}) ${verb}`, `${russian} {=names} ({member}): ${done}`],
      [`${one} {=names} ${verb}`, `${russian} {=names}: ${done}`],
      [`${several} {=names} ${verb}`, `${russian} {=names}: ${done}`],
      [`{=count} ${several} ${verb}`, `${russian}, {=count}: ${done}`],
    ]),
  ),
  ...(
    [
      ["server", "сервер"],
      ["map locations", "места на карте"],
      ["mobile settings", "настройки мобильного просмотра"],
      ["RTSP settings", "настройки RTSP"],
      ["monitoring settings", "настройки мониторинга"],
      ["directory settings", "каталог пользователей"],
      ["use of time zones", "часовые пояса"],
    ] as const
  ).flatMap(([part, russian]): SentenceTemplate[] => [
    [`${part} changed`, `изменено: ${russian}`],
    [`${part} ({member}) changed`, `изменено: ${russian} ({member})`],
  ]),
];

const ENDS: readonly SentenceTemplate[] = [
  ["failed", "ошибка"],
  ["crashed", "аварийное завершение"],
  ["killed", "завершён принудительно"],
  ["power-lost", "пропало питание"],
];

const ROOMS: readonly SentenceTemplate[] = [
  ["{room}; {room}", "{room}; {room}"],
  ["{=count} MB are missing", "не хватает {=count} МБ"],
  [
    "room for {=count} files is missing, its inodes are used up: delete files of other programs, or format it with more inodes",
    "нет места для {=count} файлов, индексные дескрипторы кончились: удалите файлы других программ или отформатируйте с большим их числом",
  ],
  [
    "{=reserve} MB are to stay free, and {=room} MB are there for that and for recordings",
    "свободными должны оставаться {=reserve} МБ, а для этого и для записей есть {=room} МБ",
  ],
];

const MEMORY: readonly SentenceTemplate[] = [
  ["{short}; {short}", "{short}; {short}"],
  ["frames of cameras were dropped", "кадры камер отброшены"],
  [
    "recordings begin later before motion than configured",
    "записи начинаются перед движением позже, чем настроено",
  ],
  ["pictures were not decoded", "картинки не декодированы"],
  ["live HLS was refused", "в живом HLS отказано"],
];

const PARTS_SENT: readonly SentenceTemplate[] = [
  ["stream {=names} with sound", "поток {=names} со звуком"],
  ["stream {=names}", "поток {=names}"],
  ["whole", "целиком"],
  ["aborted: {=covered} of {=all} bytes", "прервано: {=covered} из {=all} байт"],
];

/** The lists that templates name. */
export const SENTENCES: Readonly<Record<string, readonly SentenceTemplate[]>> = {
  member: MEMBERS,
  stream: STREAMS,
  mode: MODES,
  loss: LOSSES,
  unrecorded: UNRECORDED,
  source: MOTION,
  login: LOGINS,
  change: CHANGES,
  end: ENDS,
  room: ROOMS,
  short: MEMORY,
  sent: PARTS_SENT,
  seen: SEEN,
  thing: THINGS,
};

const LOGGED: readonly SentenceTemplate[] = [
  [
    "{login}: for {=seconds} s; {=count} more were not reported",
    "{login}: на {=seconds} с; ещё без сообщения: {=count}",
  ],
  ["{login}: for {=seconds} s", "{login}: на {=seconds} с"],
  ["{login}; {=count} more were not reported", "{login}; ещё без сообщения: {=count}"],
  ["{login}", "{login}"],
];
const MOVED: readonly SentenceTemplate[] = [
  ["{=zone}: {source}", "{=zone}: {source}"],
  ["{source}", "{source}"],
];
const FOUND: readonly SentenceTemplate[] = [["{thing}, {=percent} %", "{thing}, {=percent} %"]];
const FOUND_IN_ZONE: readonly SentenceTemplate[] = [
  ["{=zone}, {thing}, {=percent} %", "{=zone}, {thing}, {=percent} %"],
  ...FOUND,
];
const VOLUME: readonly SentenceTemplate[] = [["{=place} (volume {=id})", "{=place} (том {=id})"]];
const FULL: readonly SentenceTemplate[] = [["{=place}: {room}", "{=place}: {room}"]];
const VERSIONS: readonly SentenceTemplate[] = [["{=from} to {=to}", "{=from} → {=to}"]];

/** What stands in the comments of each type that the recorder raises itself. */
export const COMMENT_TEMPLATES: Partial<Record<EventTypeName, readonly SentenceTemplate[]>> = {
  cameraLost: [
    [
      "{stream}: {loss} (interrupted {=count} times meanwhile)",
      "{stream}: {loss} (за это время прервано раз: {=count})",
    ],
    ["{stream}: {loss}", "{stream}: {loss}"],
  ],
  cameraBack: [
    [
      "{stream}: connected (interrupted {=count} times meanwhile)",
      "{stream}: связь есть (за это время прервано раз: {=count})",
    ],
    ["{stream}: connected", "{stream}: связь есть"],
  ],
  framesLost: [
    [
      "{stream}: {unrecorded} (interrupted {=count} times meanwhile)",
      "{stream}: {unrecorded} (за это время прервано раз: {=count})",
    ],
    ["{stream}: {unrecorded}", "{stream}: {unrecorded}"],
  ],
  framesComplete: [
    [
      "{stream}: complete (interrupted {=count} times meanwhile)",
      "{stream}: полностью (за это время прервано раз: {=count})",
    ],
    ["{stream}: complete", "{stream}: полностью"],
  ],
  cameraKeyChanged: [
    [
      "port {=port}: {=key} instead of {=key}; the login is not sent until the new one is accepted",
      "порт {=port}: {=key} вместо {=key}; имя и пароль не передаются, пока новый не принят",
    ],
  ],
  cameraKeyAccepted: [["{=key}", "{=key}"]],
  recordingStarted: RECORDING,
  recordingStopped: RECORDING,
  recordingModeChanged: [
    ["from no channel to {mode}", "новая камера: {mode}"],
    ["from {mode} to {mode}", "было {mode}, стало {mode}"],
  ],
  motionDetected: MOVED,
  motionStarted: MOVED,
  motionEnded: MOVED,
  personDetected: FOUND,
  personGone: FOUND,
  vehicleDetected: FOUND,
  vehicleGone: FOUND,
  animalDetected: FOUND,
  animalGone: FOUND,
  zoneEntered: FOUND_IN_ZONE,
  zoneLeft: FOUND_IN_ZONE,
  loiteringStarted: FOUND_IN_ZONE,
  lineCrossed: [
    ["{=line} (from left to right), {thing}, {=percent} %", "{=line} (слева направо), {thing}, {=percent} %"],
    ["{=line} (from right to left), {thing}, {=percent} %", "{=line} (справа налево), {thing}, {=percent} %"],
  ],
  motionDetectorBlind: [["the camera's video cannot be decoded", "видео камеры не удаётся декодировать"]],
  login: LOGGED,
  loginFailed: LOGGED,
  lockOut: LOGGED,
  configurationChanged: [["revision {=number}: {change}", "версия {=number}: {change}"]],
  serviceInterrupted: [["{end}; it still ran at {=time}", "{end}; ещё работал {=time}"]],
  volumeBack: VOLUME,
  volumeAdopted: VOLUME,
  volumeFull: FULL,
  volumeTooSmall: FULL,
  diskFormatted: [
    ["{=device} (serial {=serial}) as {=place}", "{=device} (серийный номер {=serial}): {=place}"],
  ],
  diskAppeared: [["Disk {=name} was found", "Найден диск {=name}"]],
  diskVanished: [
    [
      "Disk {=name} is gone: look at its cable and its power",
      "Диск {=name} пропал: проверьте кабель и питание",
    ],
  ],
  thinningStarted: [
    ["{stream}: only key frames are recorded", "{stream}: записываются только ключевые кадры"],
  ],
  thinningEnded: [["{stream}: {=count} frames were left out", "{stream}: пропущено кадров: {=count}"]],
  droppingStarted: [["{stream}: {=reason}", "{stream}: {=reason}"]],
  droppingEnded: [["{stream}: {=count} frames were lost", "{stream}: потеряно кадров: {=count}"]],
  minDaysUnmet: [["recordings of {=days} days are left", "осталось записей за дней: {=days}"]],
  indexRebuilt: [["{=count} segments were read", "прочитано сегментов: {=count}"]],
  clockSet: [
    [
      "moved by {=shift}; the times of {=count} segments and {=events} events were corrected",
      "переведены на {=shift}; исправлено время сегментов: {=count}, событий: {=events}",
    ],
    // As earlier versions wrote it.
    [
      "moved by {=shift}; the times of {=count} segments were corrected",
      "переведены на {=shift}; исправлено время сегментов: {=count}",
    ],
  ],
  clockStepped: [["by {=shift}", "на {=shift}"]],
  eventsDropped: [["{=count} events were not stored", "не сохранено событий: {=count}"]],
  archiveProtectionLifted: [["entry {=id}", "запись {=id}"]],
  exportMade: [
    ["{=span}, {sent}: {=bytes} bytes sent, {sent}", "{=span}, {sent}: передано байт: {=bytes}, {sent}"],
  ],
  memoryShort: [["{short} ({=figures})", "{short} ({=figures})"]],
  recorderHeld: [["{=held} of {=within} s, by {=work}", "{=held} из {=within} с: {=work}"]],
  updateInstalled: VERSIONS,
  updateKept: VERSIONS,
  updateRolledBack: VERSIONS,
  updateFailed: VERSIONS,
};
