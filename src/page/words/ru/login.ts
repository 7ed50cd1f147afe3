import type { words as en } from "../en/login.js";
import { counted } from "../language.js";

export const words: typeof en = {
  title: "Вход в регистратор",
  name: "Имя",
  password: "Пароль",
  logIn: "Войти",
  logOut: "Выйти",
  language: "Язык",
  firstTime: "В первый раз?",
  firstTimeText:
    "Имя — root. Пароль создал сам регистратор: он в файле NVRD-PASSWORD.txt на загрузочном разделе, на консоли или в файле root-password в каталоге данных.",
  lost: "Пароль утерян?",
  lostText:
    "Новый пароль задаст администратор: «Настройки», «Пользователи». Для root на самой машине выполняют nvrd password reset или кладут пустой файл nvrd-password-reset.txt на загрузочный раздел или флешку и включают с ней регистратор снова: новый пароль будет рядом, в NVRD-PASSWORD.txt.",
  ended: "Ваш сеанс завершён: войдите снова.",
  wrong: "Неверное имя или пароль.",
  locked: (wait: string) => `Слишком много неверных паролей. Повторите через ${wait}.`,
  seconds: (count: number) =>
    counted(count, { one: "секунду", few: "секунды", many: "секунд", other: "секунды" }),
  minutes: (count: number) =>
    counted(count, { one: "минуту", few: "минуты", many: "минут", other: "минуты" }),
  current: "Текущий пароль",
  next: "Новый пароль",
  again: "Новый пароль ещё раз",
  differs: "Новые пароли не совпадают.",
  currentWrong: "Текущий пароль неверен.",
  refused: "Выберите другой: этот слишком короткий, совпадает с текущим или из тех, что пробуют первыми.",
  rule: "Не менее 8 знаков; не совпадает с именем.",
  change: "Сменить пароль",
};
