import type { words as en } from "../en/files.js";

/** Words of files that are made on the recorder. */
export const words: typeof en = {
  form: "Формат",
  everywhere: "Играет везде",
  everywhereHint:
    "H.264 и AAC: для телефонов, телевизоров и мессенджеров. Регистратор делает такой файл, когда у него есть время, один за другим. То, что не записано, в файле не занимает времени.",
  recorded: "Как записано",
  recordedHint: "Каждый кадр — как его прислала камера: для доказательств.",
  soundForPhones: "Звук, который играют телефоны (AAC вместо G.711)",
  tooLarge: "Для диска самого регистратора файл велик: он сохраняется как записано, и звук тоже.",
};
