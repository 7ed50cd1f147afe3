import { type Language, US_PER_SECOND } from "../base/index.js";
import { LOSS_IDS, type LossId } from "../contract/answer/index.js";

/** What a reason takes from the owner. */
type LossKind = "pictures" | "sound";

/** What is wrong and what to do, in an installer's words. */
export type LossWords = readonly [text: string, remedy: string];

/** One reason why something that a camera announces or sends is not recorded. */
export interface LossRule extends Readonly<Record<Language, LossWords>> {
  readonly kind: LossKind;
  /** What arrives is lost: the stream is not "Ok" meanwhile. Otherwise nothing arrives, or nothing of worth. */
  readonly isLoss: boolean;
}

/**
 * Every reason there is, shown in the channel's status, in health and as an event. A row, and its id in the contract, is all that a further reason needs: then
 * `StreamLosses.count` (while packets are handled) or `StreamLosses.name` (of a session) says that it holds.
 */
export const LOSS_RULES = {
  "no-memory": {
    kind: "pictures",
    isLoss: true,
    en: [
      "Pictures of the camera were dropped: no memory was free for them, because disks or viewers are slow",
      "Look at the disks, lower the number of viewers, or give the recorder more memory.",
    ],
    ru: [
      "Кадры камеры отброшены: для них не было свободной памяти, потому что диски или зрители не успевают",
      "Проверьте диски, уменьшите число зрителей или добавьте регистратору памяти.",
    ],
  },
  "too-large": {
    kind: "pictures",
    isLoss: true,
    en: [
      "Pictures of the camera were dropped: they are larger than the recorder accepts",
      "Lower the camera's bit rate or resolution.",
    ],
    ru: [
      "Кадры камеры отброшены: они больше, чем принимает регистратор",
      "Уменьшите битрейт или разрешение камеры.",
    ],
  },
  "too-dense": {
    kind: "pictures",
    isLoss: true,
    en: [
      "Pictures of the camera were dropped: their packets do not fit the receive memory once converted",
      "Report the camera's model with a support file; UDP as the transport may help meanwhile.",
    ],
    ru: [
      "Кадры камеры отброшены: после преобразования их пакеты не помещаются в память приёма",
      "Сообщите модель камеры и приложите файл поддержки; пока может помочь передача по UDP.",
    ],
  },
  "no-parameter-sets": {
    kind: "pictures",
    isLoss: true,
    en: [
      "The camera sends pictures without their parameters (SPS, PPS): nobody can decode them",
      "Restart the camera, update its firmware, or choose another codec or profile in it.",
    ],
    ru: [
      "Камера передаёт кадры без их параметров (SPS, PPS): декодировать их нельзя",
      "Перезапустите камеру, обновите её прошивку или выберите в ней другой кодек или профиль.",
    ],
  },
  "unknown-structure": {
    kind: "pictures",
    isLoss: true,
    en: [
      "Some packets of the camera have a form that the recorder does not know and leaves out: pictures may be incomplete",
      "Choose another profile or codec in the camera, and report its model.",
    ],
    ru: [
      "Часть пакетов камеры имеет неизвестный регистратору вид и пропускается: кадры могут быть неполны",
      "Выберите в камере другой профиль или кодек и сообщите её модель.",
    ],
  },
  "packets-lost": {
    kind: "pictures",
    isLoss: true,
    en: [
      "Packets of the camera got lost on the network: its pictures have errors, or are missing",
      "Check the cable, the switch or the Wi-Fi of the camera, and allow RTSP over TCP in the camera, where it has that.",
    ],
    ru: [
      "Пакеты камеры теряются в сети: кадры искажены или отсутствуют",
      "Проверьте кабель, коммутатор или Wi-Fi камеры и разрешите в камере RTSP по TCP, если она это умеет.",
    ],
  },
  "malformed-packets": {
    kind: "pictures",
    isLoss: true,
    en: [
      "The camera sends packets that are no whole RTP packets: they are dropped",
      "Update the camera's firmware; another transport (UDP or TCP) may help.",
    ],
    ru: [
      "Камера передаёт повреждённые пакеты RTP: они отбрасываются",
      "Обновите прошивку камеры; может помочь другой транспорт (UDP или TCP).",
    ],
  },
  "other-payload-type": {
    kind: "pictures",
    isLoss: false,
    en: [
      "The camera sends packets of a kind that it has not announced: they are not recorded",
      "Switch further streams of data off in the camera (retransmission, error correction, metadata).",
    ],
    ru: [
      "Камера передаёт пакеты вида, о котором не сообщала: они не записываются",
      "Отключите в камере дополнительные данные (повтор пакетов, коррекция ошибок, метаданные).",
    ],
  },
  "other-channel": {
    kind: "pictures",
    isLoss: false,
    en: [
      "The camera sends data that was not asked for: it is not recorded",
      "Nothing needs to be done. Switching metadata off in the camera spares the network.",
    ],
    ru: [
      "Камера передаёт данные, которых у неё не просили: они не записываются",
      "Ничего делать не нужно. Если отключить в камере метаданные, сеть будет свободнее.",
    ],
  },
  "no-picture": {
    kind: "pictures",
    isLoss: true,
    en: [
      "Data comes from the camera, and no picture could be made of it",
      "Choose another codec or profile in the camera, and send a support file with its model.",
    ],
    ru: [
      "Данные от камеры приходят, но кадры из них не получаются",
      "Выберите в камере другой кодек или профиль и пришлите файл поддержки с её моделью.",
    ],
  },
  "no-clean-key-frame": {
    kind: "pictures",
    isLoss: false,
    en: [
      "The camera sends no key frames: everything is recorded, and playback begins with errors in the picture",
      "Set a key frame (I-frame) interval of 1 to 4 seconds in the camera, and switch intra refresh off.",
    ],
    ru: [
      "Камера не передаёт ключевых кадров: записывается всё, но воспроизведение начинается с искажений",
      "Задайте в камере интервал ключевых кадров от 1 до 4 секунд и отключите внутрикадровое обновление.",
    ],
  },
  "recorder-fault": {
    kind: "pictures",
    isLoss: true,
    en: [
      "The stream was stopped and started again because of a fault in the recorder",
      "Send a support file; the recorder's log names the fault.",
    ],
    ru: [
      "Поток остановлен и запущен снова из-за ошибки в регистраторе",
      "Пришлите файл поддержки; ошибка названа в журнале регистратора.",
    ],
  },
  "other-video": {
    kind: "pictures",
    isLoss: false,
    en: [
      "The camera offers more than one video in this stream: the first that can be recorded is",
      "Give each video an address of its own, if the others are wanted too.",
    ],
    ru: [
      "В этом потоке несколько видео: записывается первое, которое можно записать",
      "Если нужны и другие, задайте каждому видео свой адрес.",
    ],
  },
  "sound-unsupported": {
    kind: "sound",
    isLoss: false,
    en: [
      "The camera's sound is of a kind that cannot be recorded",
      "Set the camera's sound to AAC or G.711, or switch sound off for it.",
    ],
    ru: [
      "Звук камеры такого вида записать нельзя",
      "Задайте в камере звук AAC или G.711 либо отключите для неё звук.",
    ],
  },
  "sound-refused": {
    kind: "sound",
    isLoss: false,
    en: [
      "The camera refuses to send its sound: the pictures alone are recorded",
      "Check the sound settings of the camera and the rights of its user, or switch sound off for it.",
    ],
    ru: [
      "Камера отказывается передавать звук: записываются только кадры",
      "Проверьте звук в настройках камеры и права её пользователя либо отключите для неё звук.",
    ],
  },
  "sound-not-sent": {
    kind: "sound",
    isLoss: false,
    en: [
      "The camera announces sound and sends none",
      "Switch the microphone on in the camera, or switch sound off for it.",
    ],
    ru: [
      "Камера объявляет звук, но не передаёт его",
      "Включите микрофон в камере либо отключите для неё звук.",
    ],
  },
  "sound-packets-lost": {
    kind: "sound",
    isLoss: true,
    en: [
      "Packets of the camera's sound got lost on the network: its sound has holes",
      "Check the cable, the switch or the Wi-Fi of the camera, and allow RTSP over TCP in the camera, where it has that.",
    ],
    ru: [
      "Пакеты звука камеры теряются в сети: звук прерывается",
      "Проверьте кабель, коммутатор или Wi-Fi камеры и разрешите в камере RTSP по TCP, если она это умеет.",
    ],
  },
  "sound-unreadable": {
    kind: "sound",
    isLoss: true,
    en: [
      "Packets of the camera's sound cannot be read and are dropped",
      "Set the camera's sound to AAC or G.711, and report its model.",
    ],
    ru: [
      "Пакеты звука камеры не читаются и отбрасываются",
      "Задайте в камере звук AAC или G.711 и сообщите её модель.",
    ],
  },
} as const satisfies Readonly<Record<LossId, LossRule>>;

/** A reason that was counted is shown for this long after it was counted last. */
export const LOSS_REPORTED_US = 60 * US_PER_SECOND;
/** Longest detail that is kept; it may come from a camera. */
export const LOSS_DETAIL_CHARACTERS_MAX = 120;

/** A reason that holds now. */
export interface ReportedLoss {
  readonly id: LossId;
  /** Such as the codec; empty if there is none. */
  readonly detail: string;
  /** Units, packets or pictures lost since the stream was made; 0 of a reason that is only named. */
  readonly count: number;
}

interface Row {
  readonly id: LossId;
  count: number;
  lookedCount: number;
  countedUs: number;
  /** Undefined: not named. */
  detail: string | undefined;
}

/**
 * What is lost of one stream on its way from the camera to its subscribers, counted and named by reason. `count` neither
 * allocates nor decides; `look`, on the session's tick, finds what holds.
 */
export class StreamLosses {
  readonly #rows: Readonly<Record<LossId, Row>>;
  /** Whether anything was counted or said since the last look. */
  #isChanged = false;
  readonly #listeners = new Set<() => void>();
  #reported: readonly ReportedLoss[] = [];
  #reportedKey = "";

  constructor() {
    const rows = LOSS_IDS.map((id): [LossId, Row] => [
      id,
      { id, count: 0, lookedCount: 0, countedUs: Number.NEGATIVE_INFINITY, detail: undefined },
    ]);
    this.#rows = Object.fromEntries(rows) as Record<LossId, Row>;
  }

  /** Counts what was lost. May be called for each packet. */
  count(id: LossId, by = 1): void {
    if (by === 0) return;
    this.#rows[id].count += by;
    this.#isChanged = true;
  }

  /** What was counted of a reason since the stream was made. */
  total(id: LossId): number {
    return this.#rows[id].count;
  }

  /** Says that a reason holds until `unname`, or until a session begins. */
  name(id: LossId, detail = ""): void {
    const shown = detail.replace(/[^\p{L}\p{N} ,.:;/()+-]/gu, "?");
    this.#rows[id].detail = shown.slice(0, LOSS_DETAIL_CHARACTERS_MAX);
    this.#isChanged = true;
  }

  unname(id: LossId): void {
    this.#rows[id].detail = undefined;
    this.#isChanged = true;
  }

  /** Whether it was said, and not taken back, that a reason holds. */
  isNamed(id: LossId): boolean {
    return this.#rows[id].detail !== undefined;
  }

  /** A new session: what was named of the one before, or counted in it, is no longer so. */
  beginSession(): void {
    for (const id of LOSS_IDS) {
      const row = this.#rows[id];
      row.detail = undefined;
      row.countedUs = Number.NEGATIVE_INFINITY;
      row.lookedCount = row.count;
    }
  }

  /** Finds what holds at this monotonic time. Called on the session's tick; without a loss it has nothing to do. */
  look(nowUs: number): void {
    if (!this.#isChanged && this.#reportedKey === "") return;
    this.#isChanged = false;
    let key = "";
    for (const id of LOSS_IDS) {
      const row = this.#rows[id];
      if (row.count !== row.lookedCount) {
        row.lookedCount = row.count;
        row.countedUs = nowUs;
      }
      if (holds(row, nowUs)) key = `${key}${id} ${row.detail ?? ""};`;
    }
    if (key === this.#reportedKey) return;
    this.#reportedKey = key;
    this.#reported = LOSS_IDS.filter((id) => holds(this.#rows[id], nowUs)).map((id) =>
      reportedLoss(this.#rows[id]),
    );
    for (const listener of this.#listeners) listener();
  }

  /** What holds, with the counts of this moment, in the order of the table. */
  get reported(): readonly ReportedLoss[] {
    return this.#reported.map(({ id }) => reportedLoss(this.#rows[id]));
  }

  /** Calls `listener` when other reasons hold than before. */
  onChange(listener: () => void): { close(): void } {
    this.#listeners.add(listener);
    return { close: () => this.#listeners.delete(listener) };
  }
}

/** A reason in words, with what to do. */
export function lossWords(
  { id, detail }: Pick<ReportedLoss, "id" | "detail">,
  language: Language,
): LossWords {
  const [text, remedy] = LOSS_RULES[id][language];
  return [detail === "" ? text : `${text} (${detail})`, remedy];
}

function holds(row: Row, nowUs: number): boolean {
  return row.detail !== undefined || nowUs - row.countedUs < LOSS_REPORTED_US;
}

function reportedLoss({ id, detail, count }: Row): ReportedLoss {
  return { id, detail: detail ?? "", count };
}
