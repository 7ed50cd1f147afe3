import { expect, test } from "vitest";
import { EMPTY_GUID } from "../../src/base/index.js";
import {
  CommentWords,
  changeIn,
  EVENT_TYPES,
  type EventInput,
  type EventRecord,
  type EventTypeName,
} from "../../src/event/index.js";
import { interruptionText, SHORTAGES } from "../../src/health/index.js";
import { keyWaitText, lossWords } from "../../src/live/index.js";
import { modeChangeText, reasonText } from "../../src/recording/index.js";
import {
  connectionFailure,
  droppedSession,
  foreignFailure,
  statusFailure,
} from "../../src/rtsp/client/rtsp-failure.js";
import { auditEvent, noticeEvent } from "../../src/service/report/event-mapping.js";
import { sampleSite } from "../support/api/api-fakes.js";
import { processorMs } from "../support/base/processor-time.js";

const words = new CommentWords();
const SITE = sampleSite();
const KEY = { channelId: EMPTY_GUID, streamType: "Main" } as const;
const PLACE = "192.168.1.20:554";

/** The comment of an event in Russian. */
function inRussian({ typeId, comment = "" }: EventInput, initiatorType: 0 | 8 = 0): string {
  const initiator = { type: initiatorType, id: EMPTY_GUID, name: "System" } as const;
  const event: EventRecord = {
    ...{ sequence: 1, typeId, timeUs: 0, channelId: EMPTY_GUID, channelName: "", comment, description: "" },
    ...{ category: 0, initiator, fields: undefined },
  };
  return words.of(event, "ru");
}

const event = (name: EventTypeName, comment: string): EventInput => ({
  typeId: EVENT_TYPES[name].id,
  comment,
});

test.each<[EventInput, string]>([
  [event("personDetected", "person, 83 %"), "человек, 83 %"],
  [event("zoneEntered", "Yard, car, 51.5 %"), "Yard, автомобиль, 51.5 %"],
  [event("lineCrossed", "Gate (from right to left), dog, 70 %"), "Gate (справа налево), собака, 70 %"],
  [event("cameraBack", "Main: connected"), "основной поток: связь есть"],
  [
    event("cameraBack", "Alternative: connected (interrupted 3 times meanwhile)"),
    "дополнительный поток: связь есть (за это время прервано раз: 3)",
  ],
  [
    event("cameraLost", `Main: ${connectionFailure(refused(), PLACE, false).message}`),
    `основной поток: ${PLACE}: в соединении отказано; проверьте порт, или камера ещё запускается`,
  ],
  [
    event("cameraLost", `Main: ${statusFailure(404, "Not Found", "DESCRIBE").message}`),
    "основной поток: у камеры нет потока по этому адресу (404 Not Found): проверьте путь",
  ],
  [
    event("cameraLost", `Main: ${droppedSession().message}`),
    "основной поток: камера больше не знает этого сеанса",
  ],
  [
    event("cameraLost", `Main: ${foreignFailure("http", PLACE).message}`),
    `основной поток: ${PLACE}: отвечает веб-сервер; проверьте, что это порт RTSP камеры, обычно 554`,
  ],
  [
    event("cameraLost", `Main: ${foreignFailure("tls", PLACE).message}`),
    `основной поток: ${PLACE} принимает только защищённые соединения: замените rtsp:// на rtsps:// или укажите порт RTSP камеры`,
  ],
  [
    event("framesLost", `Main: ${keyWaitText(60_000_000, "en")}`),
    `основной поток: ${keyWaitText(60_000_000, "ru")}`,
  ],
  [
    event("framesLost", `Main: ${lossWords({ id: "sound-unsupported", detail: "G722" }, "en")[0]}`),
    "основной поток: Звук камеры такого вида записать нельзя (G722)",
  ],
  [event("framesComplete", "Main: complete"), "основной поток: полностью"],
  [event("recordingStarted", reasonText({ kind: "always" })), "запись идёт постоянно"],
  [
    event(
      "recordingStarted",
      reasonText({ kind: "scenario", by: { type: 3, id: EMPTY_GUID, name: "Night" } }),
    ),
    "включил сценарий Night",
  ],
  [event("recordingStopped", "the scenario's time is over"), "время сценария закончилось"],
  [event("recordingStopped", "recording mode is OnlyManual"), "режим записи: только вручную"],
  [
    event("recordingModeChanged", modeChangeText({ from: "AlwaysOn", to: "off" })),
    "было постоянно, стало выключена",
  ],
  [event("motionDetected", "Door: seen by the recorder"), "Door: увидел регистратор"],
  [
    event(
      "configurationChanged",
      "revision 7: camera Gate (name, archive) changed; 5 users removed; server changed",
    ),
    "версия 7: камеры Gate (название, запись): изменены; пользователи, 5: удалены; изменено: сервер",
  ],
  [
    event("configurationChanged", "revision 8: user scenario Night added"),
    "версия 8: сценарии пользователей Night: добавлены",
  ],
  [
    event("serviceInterrupted", interruptionText({ kind: "power-lost", aliveUs: 0 })),
    "пропало питание; ещё работал 1970-01-01T00:00:00.0000000Z",
  ],
  [
    event("memoryShort", `${SHORTAGES.frames}; ${SHORTAGES.hls} (512 MB, cgroup)`),
    "кадры камер отброшены; в живом HLS отказано (512 MB, cgroup)",
  ],
  [noticeEvent({ kind: "index-rebuilt", segments: 12 }, SITE), "прочитано сегментов: 12"],
  [
    noticeEvent({ kind: "volume-full", directory: "/data", missingBytes: 5e6, missingFiles: 0 }, SITE),
    "/data: не хватает 5 МБ",
  ],
  [
    noticeEvent({ kind: "thinning-started", key: KEY }, SITE),
    "основной поток: записываются только ключевые кадры",
  ],
  [noticeEvent({ kind: "clock-stepped", shiftUs: -1_500_000 }, SITE), "на -1.500 s"],
  [
    auditEvent({
      kind: "loginFailed",
      userName: "guard",
      address: "10.0.0.7",
      way: "web",
      unreported: 4,
    } as never),
    "guard, адрес 10.0.0.7; ещё без сообщения: 4",
  ],
])("a sentence of the recorder's is put into Russian: %o", (input, russian) => {
  expect(inRussian(input)).toBe(russian);
});

test("what others wrote, and what no template has, stays as it is", () => {
  expect(inRussian(event("motionDetected", "seen by the recorder"), 8)).toBe("seen by the recorder");
  expect(inRussian(event("inputActivated", "Door contact"))).toBe("Door contact");
  expect(inRussian(event("cameraLost", "Main: something new"))).toBe("основной поток: something new");
  expect(inRussian(event("login", ""))).toBe("");
});

test("long and repetitive comments take no time", () => {
  const ms = processorMs(() => {
    for (const part of [" from ", "; ", ": ", " (", "changed; "])
      inRussian(event("loginFailed", part.repeat(512 / part.length)));
    inRussian(event("configurationChanged", "changed; ".repeat(56)));
  });
  expect(ms).toBeLessThan(3000);
});

function refused(): Error {
  return Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
}

test.each([
  ["4 cameras added", "камеры, 4: добавлены"],
  ["alarm target Owner (sending hours) changed", "получатели тревог Owner (часы сообщений): изменены"],
  ["imported: away target Cellar added", "загружено из файла: внешние хранилища Cellar: добавлены"],
  [
    "reverted to revision 3: user guard (password) changed",
    "возвращено к версии 3: пользователи guard (пароль): изменены",
  ],
  [
    "list of cameras changed; directory settings changed",
    "изменён список камер; изменено: каталог пользователей",
  ],
  ["first configuration", "первые настройки"],
  ["something of a newer version", "something of a newer version"],
])("a change of the configuration is told in Russian: %s", (english, russian) => {
  expect(changeIn(english, "ru")).toBe(russian);
  expect(changeIn(english, "en")).toBe(english);
});
