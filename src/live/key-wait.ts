import { type Language, US_PER_SECOND } from "../base/index.js";

const REMEDY: Readonly<Record<Language, string>> = {
  en: "set a key frame (I-frame) interval of 1 to 4 seconds in the camera, and switch H.264+, H.265+ and smart codecs off",
  ru: "задайте в камере интервал ключевых кадров от 1 до 4 секунд и отключите H.264+, H.265+ и смарт-кодеки",
};

/**
 * Why a stream whose packets come shows and records nothing yet, and what to do. `keyIntervalUs`: how far apart the camera's key
 * frames are, where that is known.
 */
export function keyWaitText(keyIntervalUs: number | undefined, language: Language): string {
  const seconds =
    keyIntervalUs === undefined ? undefined : Math.max(1, Math.round(keyIntervalUs / US_PER_SECOND));
  if (language === "ru") {
    const each = seconds === undefined ? "" : `, камера передаёт его каждые ${seconds} с`;
    return `ожидание ключевого кадра${each}: ${REMEDY.ru}`;
  }
  const each = seconds === undefined ? "" : `, the camera sends one each ${seconds} s`;
  return `waiting for a key frame${each}: ${REMEDY.en}`;
}
