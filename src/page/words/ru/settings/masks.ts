import type { words as en } from "../../en/settings/masks.js";

/** Words of the privacy masks of a camera. */
export const words: typeof en = {
  title: "Маски приватности",
  why: "Что скрывает сама камера: этого не будет ни в одном её кадре с этого момента, ни в прямом эфире, ни в записи. Прежние записи останутся как были.",
  masks: "Маски",
  none: "Ничего не скрыто. Добавьте маску и нарисуйте её поверх того, чего никто не должен видеть.",
  hint: "Нарисуйте выбранную маску на картинке. Камера скроет это место после сохранения.",
  named: (number: number) => `Маска ${number}`,
  draw: "Рисовать",
  drawNamed: (name: string) => `Рисовать: ${name}`,
  isDrawn: "Рисуется",
  isDrawnNamed: (name: string) => `Рисуется: ${name}`,
  hidesNamed: (name: string) => `${name} скрывает`,
  add: "Добавить маску",
  remove: "Удалить",
  removeNamed: (name: string) => `Удалить: ${name}`,
  most: (count: number) => `Камера принимает не больше масок: ${count}.`,
  saved: "Теперь у камеры эти маски.",
  notOffered:
    "Эта камера не предлагает масок приватности по сети. У многих они есть на собственной странице.",
};
