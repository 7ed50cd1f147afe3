import type { SeenKind } from "../base/index.js";

/** What people type to find a kind, in both languages: begins of words, so that endings do not matter. */
const WORDS: Readonly<Record<SeenKind, readonly string[]>> = {
  motion: ["motion", "movement", "движени"],
  pir: ["pir", "heat", "тепло"],
  person: ["person", "people", "human", "man", "woman", "человек", "люд", "чел"],
  vehicle: ["vehicle", "car", "truck", "bus", "traffic", "машин", "авто", "транспорт"],
  animal: ["animal", "pet", "dog", "cat", "животн", "собак", "кошк"],
  face: ["face", "лиц"],
  package: ["package", "parcel", "посылк"],
  plate: ["plate", "number", "номер"],
  lineCrossed: ["line", "crossed", "crossing", "лини", "пересеч"],
  zoneEntered: ["entered", "intrusion", "вош", "вход", "вторжени"],
  zoneLeft: ["left", "exit", "выш", "выход"],
  loitering: ["loitering", "lingering", "задерж", "праздно"],
  objectLeft: ["abandoned", "оставлен"],
  objectTaken: ["taken", "унес", "пропал"],
  crowd: ["crowd", "толп"],
  doorbell: ["ring", "doorbell", "bell", "звон"],
  scream: ["scream", "крик"],
  glass: ["glass", "стекл"],
  soundAlarm: ["siren", "сирен"],
  sound: ["sound", "noise", "звук", "шум"],
  tampering: ["tamper", "вмешательств", "саботаж"],
  covered: ["covered", "закрыт"],
  moved: ["moved", "сдвинут"],
  defocused: ["defocused", "blurred", "расфокус"],
  input: ["input", "вход"],
  relay: ["relay", "output", "реле"],
  fire: ["fire", "огонь", "пожар"],
  smoke: ["smoke", "дым"],
  temperature: ["temperature", "температур"],
  storageFailure: ["storage", "card", "накопител"],
  refusedLogin: ["login", "логин"],
  rule: ["rule", "правил"],
  other: ["object", "объект"],
};

const BEGIN_LENGTH_MIN = 3;
/** What may follow a word: `cars`, `человека`. */
const ENDING_LENGTH_MAX = 4;

/** The kinds that a typed word means: it begins like one of theirs, or goes on behind it. */
export function kindsOfWord(typed: string): readonly SeenKind[] {
  const kinds = Object.entries(WORDS) as [SeenKind, readonly string[]][];
  return kinds.filter(([, words]) => words.some((word) => isMeant(word, typed))).map(([kind]) => kind);
}

function isMeant(word: string, typed: string): boolean {
  if (typed.length < BEGIN_LENGTH_MIN) return typed === word;
  const endingMax = word.length > BEGIN_LENGTH_MIN ? ENDING_LENGTH_MAX : 1;
  return word.startsWith(typed) || (typed.startsWith(word) && typed.length - word.length <= endingMax);
}
