import type { SentenceTemplate } from "../../base/index.js";

/** What is wrong with a value of a body, without its path. */
const FAULTS: readonly SentenceTemplate[] = [
  ["another {=object} has this name", "это имя уже занято"],
  ["a mail address", "нужен адрес почты"],
  ["at least one recipient", "нужен хотя бы один получатель"],
  ["a host name or an address", "нужно имя или адрес"],
  ["at least {=count} characters", "знаков должно быть не меньше {=count}"],
  ["at most {=count} characters", "знаков должно быть не больше {=count}"],
  ["a whole number {=min} to {=max}", "нужно целое число от {=min} до {=max}"],
  ["an http:// or https:// URL", "нужен адрес, который начинается с http:// или https://"],
  ["a URL without user and password", "нужен адрес без имени и пароля"],
  ["no control characters", "нужен текст без управляющих знаков"],
  ["one line without control characters", "нужна одна строка без управляющих знаков"],
  ["a name that is not empty", "нужно имя"],
  ["a name without a colon: HTTP Basic ends the login there", "в имени не может быть двоеточия"],
  ["hours that begin before they end", "часы должны начинаться раньше, чем кончаются"],
  ["a distinguished name such as {=name}", "нужно имя в каталоге, например {=name}"],
  ["is that of another camera: enter it again", "для другого адреса введите пароль заново"],
  ["is that of another directory: enter it again", "для другого каталога введите пароль заново"],
  ["is that of another proxy: enter it again", "для другого прокси введите пароль заново"],
  ["is that of another server: enter it again", "для другого адреса введите секрет заново"],
  [
    "holds {=mask} in place of a login or password: give the whole address",
    "вместо {=mask} нужен адрес целиком",
  ],
  [
    "is the recorder's own RTSP server: give the address of a camera",
    "это RTSP-сервер самого регистратора: укажите адрес камеры",
  ],
  ["is no camera that is set up", "такой камеры нет"],
  ["is missing", "не указано"],
  ["is in the future", "этот момент ещё не наступил"],
  [
    "is too long ago: events from before {=day} are not kept (setting eventDays)",
    "слишком давно: события раньше {=day} не хранятся (настройка eventDays)",
  ],
  ["certificates as PEM, or empty", "нужны сертификаты в PEM, или ничего"],
  [
    "write an address with the length of its network, such as {=address}",
    "нужен адрес с длиной сети, например {=address}",
  ],
  ["{=address} is not an address that a machine can have", "у устройства не может быть адреса {=address}"],
  ["{=address} is not the address of a router", "{=address} не может быть адресом маршрутизатора"],
  ["{=address} is not the address of a name server", "{=address} не может быть адресом сервера имён"],
  ["the box cannot be its own gateway", "устройство не может быть шлюзом для самого себя"],
  [
    "{=gateway} is not in the network of {=address}: use the router's address in that network, or another length of the network",
    "{=gateway} не в сети адреса {=address}: укажите адрес маршрутизатора в этой сети или другую длину сети",
  ],
  ["VLAN {=id} is named twice", "VLAN {=id} указана дважды"],
  [
    "{=one} and {=other} are in the same network: each needs its own",
    "{=one} и {=other} в одной сети: каждому нужна своя",
  ],
];

/** What the members are that a fault may be in; others stay as they are. */
const PLACES: readonly SentenceTemplate[] = [
  ["Time", "Момент"],
  ["IPv4.Address", "Адрес IPv4"],
  ["IPv4.Gateway", "Шлюз IPv4"],
  ["IPv6.Address", "Адрес IPv6"],
  ["IPv6.Gateway", "Шлюз IPv6"],
  ["Dns", "Серверы имён"],
  ["Ntp", "Серверы времени"],
  ["Password", "Пароль"],
  ["GivenTo", "Камера, которой передаются записи"],
];

const CERTIFICATES: readonly SentenceTemplate[] = [
  ["the certificate has expired", "срок его действия истёк"],
  [
    "the certificate is not valid yet: look at its dates and at the clock of the recorder",
    "он ещё не действует: проверьте его даты и часы регистратора",
  ],
  ["the key is not that of the certificate", "ключ не от этого сертификата"],
  ["the key is none in PEM without a password", "ключ должен быть в PEM и без пароля"],
  [
    "there is no certificate in PEM in it, which begins with -----BEGIN CERTIFICATE-----",
    "в файле нет сертификата в PEM: он начинается с -----BEGIN CERTIFICATE-----",
  ],
];

const REFUSALS: readonly SentenceTemplate[] = [
  ["the certificate is not taken: {certificate}", "Сертификат не принят: {certificate}."],
  [
    "another machine on this network has the address {=address}: choose an address that is free, outside the range of the DHCP server",
    "Адрес {=address} уже есть у другого устройства этой сети. Выберите свободный, вне диапазона сервера DHCP.",
  ],
  [
    "no router answers at {=address}: check the gateway and the cable, or leave Gateway out for a network without a way out",
    "По адресу {=address} маршрутизатор не отвечает. Проверьте шлюз и кабель; если выхода из сети нет, оставьте шлюз пустым.",
  ],
  [
    "no cable is plugged into {=port}, so nothing can be tried: plug it in first",
    "В разъём {=port} не вставлен кабель, поэтому испытать нечего: вставьте его.",
  ],
  [
    "a trial of {=port} is running: confirm it, or end it: DELETE /api/network/trial",
    "Уже испытываются настройки {=port}: дождитесь конца или верните прежние.",
  ],
  [
    "this trial is over: the network is as it was before: {=what}",
    "Испытание кончилось: сеть такая, как была.",
  ],
  [
    "users: at least one senior administrator who can log in must remain",
    "Должен остаться хотя бы один старший администратор, который может войти.",
  ],
  [
    "the group {=name} has users ({=users}): {=what}",
    "В группе {=name} есть пользователи ({=users}): сначала переведите их в другую группу или удалите.",
  ],
  ["Current is not the present password: type it again", "Текущий пароль неверен: введите его ещё раз."],
  ["New is the present password: choose another one", "Новый пароль совпадает с текущим: выберите другой."],
  ["New: it is guessed too soon: {=what}", "Этот пароль угадывается слишком быстро: выберите другой."],
  ["Password: it is guessed too soon: {=what}", "Этот пароль угадывается слишком быстро: выберите другой."],
  ["there is no former camera {=id}: {=what}", "Прежней камеры {=id} нет."],
  [
    "protected times of the camera hold for these recordings: lift them first",
    "Эти записи защищены вместе с записями камеры, у которой они сейчас: сначала снимите защиту.",
  ],
  ["this is for the group of senior administrators: {=what}", "Это могут только старшие администраторы."],
  ["your group may not do this (right {=right}): {=what}", "Вашей группе это не разрешено (право {=right})."],
  ["a disk is being worked on: {=what}", "С одним из дисков уже идёт работа: дождитесь её конца."],
  [
    "an update is under way, and a restart would end it: {=what}",
    "Идёт обновление, и перезапуск прервал бы его: дождитесь его конца.",
  ],
  [
    "{=count} tasks of yours are under way: {=what}",
    "Уже идёт много ваших работ ({=count}): дождитесь конца одной из них.",
  ],
  [
    "the target {=name} does not work: {=what}: correct it, or save it with IsEnabled: false, which is not tested",
    "{=name} не работает: {=what}. Исправьте настройки или сохраните выключенным: тогда не проверяется.",
  ],
  [
    "there is no room for the file on the recorder's own disk: it takes about {=size} MB, and {=room} MB are left",
    "Для файла нет места на собственном диске регистратора: нужно около {=size} МБ, осталось {=room} МБ. Удалите ненужные файлы или выберите время короче.",
  ],
  ["the file cannot be written: {=why}", "Файл не записывается: диск регистратора отказывает."],
  ["{=count} files of yours are kept already", "На регистраторе уже {=count} ваших файлов."],
  [
    "{=count} files of yours are kept already: {=what}",
    "На регистраторе уже {=count} ваших файлов: удалите ненужный.",
  ],
  [
    "none of the pictures of this time can be decoded",
    "Ни один кадр этого времени не удаётся раскодировать.",
  ],
  ["nothing is recorded in this time", "За это время ничего не записано."],
  ["the recording changed while it was read", "Запись изменилась, пока её читали: повторите."],
  [
    "this time holds too many short recordings for one file",
    "За это время слишком много коротких записей для одного файла: выберите время короче.",
  ],
  [
    "the file would have more than {=count} pictures",
    "В файле было бы больше {=count} кадров: выберите время короче.",
  ],
  [
    "who wanted it has left, or may not have it any more",
    "Кто просил файл, вышел или больше не имеет на него права.",
  ],
  ["it cannot go on: the log says why", "Продолжить не удалось: причина в журнале регистратора."],
  ["links to files are switched off: {=what}", "Ссылки на файлы выключены: их включает администратор."],
  [
    "only users of the recorder itself make links to files: {=what}",
    "Ссылки на файлы создают только пользователи самого регистратора.",
  ],
  [
    "there are as many links as may be: {=what}",
    "Ссылок уже столько, сколько может быть: отзовите ненужную.",
  ],
  ["{refusal}: correct the named parameter", "{refusal}"],
  ["{one}; {more}", "{one} {more}"],
  ...FAULTS.map(([english, russian]): SentenceTemplate => [`{place}: ${english}`, `{place}: ${russian}.`]),
];

/** Refusals in English and Russian, by the lists of their parts. */
export const REFUSAL_TEMPLATES: Readonly<Record<string, readonly SentenceTemplate[]>> = {
  refusal: REFUSALS,
  one: REFUSALS,
  more: REFUSALS,
  certificate: CERTIFICATES,
  place: PLACES,
};
