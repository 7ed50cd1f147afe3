import type { words as en } from "../en/file-edits.js";

/** Words of files that play everywhere: what is done to their pictures, and what is missing for them. */
export const words: typeof en = {
  showTime: "Камера и время в кадре",
  together: (cameras: number) => `Все камеры (${cameras}) в одном кадре, без звука`,
  speed: "Ускоренная съёмка",
  asFast: "Нет",
  faster: (times: number, length: string) => `×${times}: ${length}`,
  lapse: (recorded: string, film: string) =>
    `Из ${recorded} получится не больше ${film}, без звука. Размер станет известен, как только файл начнут делать.`,
  lack: {
    Codec:
      "Этот регистратор не может преобразовывать: библиотек FFmpeg нет или они другой версии. Их ставит тот, кто за ним следит: apt install --reinstall nvrd.",
    Encoder:
      "Этот регистратор не может преобразовывать кадры: библиотеки FFmpeg собраны без libx264. В тех, что из дистрибутива, он есть: apt install --reinstall и пакет libavcodec.",
  },
};
