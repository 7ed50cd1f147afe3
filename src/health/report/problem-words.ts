import type { Language } from "../../base/index.js";
import type { ProblemCode } from "./health-problems.js";

/** What is wrong, and what to do about it, for who stands before the box; the problem's own text names the camera or the disk. */
export const PROBLEM_WORDS: Readonly<
  Record<Language, Readonly<Record<ProblemCode, readonly [title: string, remedy: string]>>>
> = {
  en: {
    "camera-lost": [
      "A camera is not recorded: it does not answer",
      "Look at the camera, its power and its network cable. If its password was changed, enter the new one.",
    ],
    "camera-not-recorded": [
      "A camera sends pictures that are not recorded",
      "See the other problems. If there are none, restart the recorder; if it stays, send a support file.",
    ],
    "camera-waiting": [
      "A camera sends, and its next key frame has not come yet",
      "Set a key frame (I-frame) interval of 1 to 4 seconds in the camera, and switch H.264+, H.265+ and smart codecs off.",
    ],
    "camera-losing": [
      "A part of what a camera sends is not recorded",
      "Look at the camera under Cameras: what is lost and what to do is said there.",
    ],
    "camera-incomplete": [
      "A camera does not send all as it should",
      "Look at the camera under Cameras: what it is and what to do is said there.",
    ],
    "cameras-same-name": [
      "Cameras have the same name",
      "Give each camera a name of its own under Cameras: lists and alarms distinguish them by it.",
    ],
    "cameras-same-device": [
      "A camera is set up twice",
      "Remove one of them under Cameras, if you did not mean to record it twice.",
    ],
    "volume-lost": [
      "A disk for recordings is missing",
      "Look at the disk, its cable and its power. The recorder uses it again by itself.",
    ],
    "volume-unread": [
      "Recordings of a disk cannot be read",
      "Look at the disk: what it holds is not shown. The recorder tries again every ten minutes.",
    ],
    "volume-too-small": [
      "A disk has no room for recordings",
      "Make room on the disk, or give the recorder a larger one.",
    ],
    "volume-crowded": [
      "Other files fill a disk for recordings",
      "Delete files of other programs from the disk, or give the recorder a disk of its own.",
    ],
    "protection-unknown": [
      "The list of protected recordings is damaged: nothing is deleted",
      "Bring back disks that are missing: they carry the list, too. If it is lost, accept that under Disks; otherwise the disks become full.",
    ],
    "no-volume": [
      "There is no disk to record onto",
      "Bring the disk back, or put in another one and format it under Disks. Nothing is recorded until then.",
    ],
    "frames-dropped": [
      "Pictures were lost in the last minutes",
      "Make room where a disk is full. Otherwise a disk is too slow or failing: look at it under Disks.",
    ],
    "frames-thinned": [
      "The disks do not keep up: only some pictures are recorded",
      "Lower the bit rate at the cameras, or add a disk.",
    ],
    "index-failing": [
      "The list of recordings cannot be written",
      "Make room on the system disk, and have the disk looked at.",
    ],
    "event-log-failing": [
      "Events cannot be kept",
      "Make room on the system disk, and have the disk looked at.",
    ],
    "events-lost": [
      "Some events were not kept",
      "Make room on the system disk, and have the disk looked at.",
    ],
    "findings-failing": [
      "What cameras see cannot be kept",
      "Make room on the disks, and have them looked at. The recorder tries again by itself.",
    ],
    "findings-lost": [
      "Some of what cameras saw was not kept",
      "If a disk is full or missing, see the disks. Otherwise too much is seen at a time: draw smaller zones, or look for larger things.",
    ],
    "disk-failing": ["A disk is failing", "Replace it soon, and save what must be kept."],
    "disk-worn": ["A disk nears the end of its life", "Plan to replace it."],
    "disks-unknown": [
      "The health of the disks is not known",
      "The recorder cannot ask the disks how they are. It records all the same.",
    ],
    "disk-overworked": [
      "A disk is written more than it is made for",
      "Lower the bit rate at the cameras, or add a disk. Plan to replace this one earlier.",
    ],
    "system-disk-full": ["The system disk is almost full", "Remove what does not belong to the recorder."],
    "volume-files-low": [
      "A disk can hold few further files",
      "Remove files of other programs from it, or format it under Disks.",
    ],
    "system-disk-files-low": [
      "The system disk can hold few further files",
      "Remove what does not belong to the recorder.",
    ],
    "clock-unknown": [
      "The time may be wrong",
      "Give the box a time server under Network, or say under System that its time is right. Until then schedules are not followed, and nothing is deleted because of its age.",
    ],
    "memory-low": [
      "Memory is almost used up",
      "Have fewer people watch at once, or give the box more memory.",
    ],
    "memory-small": ["The box has too little memory", "Give it more memory, or connect fewer cameras."],
    "memory-short": [
      "There was not enough memory for everything",
      "Have fewer people watch at once, or give the box more memory.",
    ],
    "frame-memory-low": [
      "The memory for pictures is almost used up",
      "A disk or a slow viewer holds it. Look at the disks; otherwise give the box more memory.",
    ],
    "too-hot": ["The box is too hot", "Give it air: clean its fan and its grid."],
    "event-loop-late": [
      "The processor is overloaded",
      "Have fewer people watch at once, or switch off motion detection for some cameras.",
    ],
    "motion-slow": [
      "The box is too slow to look for motion in all cameras",
      "Choose smaller streams for it, or switch it off for some cameras.",
    ],
    "alarm-failing": [
      "An alarm did not reach its receiver",
      "Look at its address, and at the box's way to the network.",
    ],
    "away-failing": [
      "Recordings do not leave the box",
      "Look at the storage they are to go to, its key and its room, and at the box's way to the network.",
    ],
    "bucket-failing": [
      "The recordings cannot be read from their storage",
      "Look at the storage, the way to it through the network, and its key in the settings.",
    ],
    "hub-lost": [
      "The recorder is not connected to its hub",
      "Look at the hub and at the way to it through the network. The recorder records on, and tries again by itself.",
    ],
    "partner-lost": [
      "Another recorder that stands by this one is not heard",
      "Look at that recorder and at the network between both. This one records on, and finds it again by itself.",
    ],
    "recorded-for-partner": [
      "Cameras of another recorder are recorded here, because it is silent",
      "Look at that recorder. When it records again, this one stops by itself.",
    ],
    "replicas-not-kept": [
      "Recordings of other recorders cannot be kept here",
      "Look at the recordings of other recorders under Hub in the settings, and at the disk for them.",
    ],
    "reserve-refuses": [
      "Another recorder does not stand in for cameras of this one",
      "Look at the list of partners under Hub in the settings: it says why.",
    ],
    "mqtt-lost": [
      "The connection to house automation (MQTT) is broken",
      "Look at the broker, its address and its login in the recorder's settings.",
    ],
    "port-shut": [
      "Nobody can connect to the recorder in one of its ways (HTTP, HTTPS or RTSP)",
      "Another program has the port, or the certificate cannot be used. Free the port or choose another, or correct the certificate under System.",
    ],
    "certificate-not-used": [
      "The new certificate of the page cannot be used",
      "Put it in again under System, Certificate of HTTPS, with its key. Browsers warn of the page once the former one has ended.",
    ],
    "certificate-not-renewed": [
      "The certificate of the page cannot be renewed",
      "See under System, Certificate of HTTPS, what its authority says. Browsers warn of the page once it has ended.",
    ],
    "ends-unclean": [
      "The recorder ended unexpectedly several times",
      "Send a support file to whoever looks after it.",
    ],
  },
  ru: {
    "camera-lost": [
      "Камера не записывается: она не отвечает",
      "Проверьте камеру, её питание и сетевой кабель. Если её пароль изменили, введите новый.",
    ],
    "camera-not-recorded": [
      "Камера передаёт изображение, но оно не записывается",
      "Посмотрите другие неполадки. Если их нет, перезапустите регистратор; если не поможет, отправьте файл для поддержки.",
    ],
    "camera-waiting": [
      "Камера передаёт, но её ключевой кадр ещё не пришёл",
      "Задайте в камере интервал ключевых кадров от 1 до 4 секунд и отключите H.264+, H.265+ и смарт-кодеки.",
    ],
    "camera-losing": [
      "Часть того, что передаёт камера, не записывается",
      "Откройте камеру в разделе «Камеры»: там сказано, что теряется и что делать.",
    ],
    "camera-incomplete": [
      "Камера передаёт не всё как следует",
      "Откройте камеру в разделе «Камеры»: там сказано, в чём дело и что сделать.",
    ],
    "cameras-same-name": [
      "У камер одно и то же имя",
      "Дайте каждой камере своё имя в разделе «Камеры»: по нему их различают списки и тревоги.",
    ],
    "cameras-same-device": [
      "Камера настроена дважды",
      "Удалите одну из них в разделе «Камеры», если не хотели записывать её дважды.",
    ],
    "volume-lost": [
      "Нет диска для записей",
      "Проверьте диск, его кабель и питание. Регистратор сам продолжит писать на него.",
    ],
    "volume-unread": [
      "Записи с диска не читаются",
      "Проверьте диск: его записи не показаны. Регистратор пробует снова каждые десять минут.",
    ],
    "volume-too-small": [
      "На диске нет места для записей",
      "Освободите место на диске или поставьте диск большего объёма.",
    ],
    "volume-crowded": [
      "Диск для записей заполнен другими файлами",
      "Удалите с диска файлы других программ или дайте регистратору отдельный диск.",
    ],
    "protection-unknown": [
      "Список защищённых записей повреждён: ничего не удаляется",
      "Верните отсутствующие диски: на них тоже есть этот список. Если он утерян, подтвердите это в разделе «Диски», иначе диски заполнятся.",
    ],
    "no-volume": [
      "Писать некуда: нет ни одного диска",
      "Верните диск или поставьте другой и отформатируйте его в разделе «Диски». До тех пор ничего не записывается.",
    ],
    "frames-dropped": [
      "В последние минуты часть изображений потеряна",
      "Освободите место на полном диске. Иначе диск слишком медленный или неисправен: посмотрите раздел «Диски».",
    ],
    "frames-thinned": [
      "Диски не успевают: записывается лишь часть изображений",
      "Уменьшите битрейт камер или добавьте диск.",
    ],
    "index-failing": [
      "Список записей не сохраняется",
      "Освободите место на системном диске и проверьте диск.",
    ],
    "event-log-failing": ["События не сохраняются", "Освободите место на системном диске и проверьте диск."],
    "events-lost": ["Часть событий не сохранилась", "Освободите место на системном диске и проверьте диск."],
    "findings-failing": [
      "Замеченное на камерах не сохраняется",
      "Освободите место на дисках и проверьте их. Регистратор пробует снова сам.",
    ],
    "findings-lost": [
      "Часть замеченного на камерах не сохранилась",
      "Если диск полон или отсутствует, посмотрите раздел «Диски». Иначе замечается слишком много сразу: уменьшите зоны или ищите более крупное.",
    ],
    "disk-failing": ["Диск выходит из строя", "Скоро замените его и сохраните всё нужное."],
    "disk-worn": ["Срок службы диска подходит к концу", "Запланируйте замену."],
    "disks-unknown": [
      "Состояние дисков неизвестно",
      "Регистратор не может узнать состояние дисков. Запись при этом идёт.",
    ],
    "disk-overworked": [
      "На диск пишется больше, чем он рассчитан",
      "Уменьшите битрейт камер или добавьте диск. Этот диск придётся заменить раньше.",
    ],
    "system-disk-full": [
      "Системный диск почти полон",
      "Удалите с него всё, что не относится к регистратору.",
    ],
    "volume-files-low": [
      "На диске осталось место лишь для немногих файлов",
      "Удалите с него файлы других программ или отформатируйте его в разделе «Диски».",
    ],
    "system-disk-files-low": [
      "На системном диске осталось место лишь для немногих файлов",
      "Удалите с него всё, что не относится к регистратору.",
    ],
    "clock-unknown": [
      "Время может быть неверным",
      "Задайте сервер времени в разделе «Сеть» или подтвердите в разделе «Система», что время верное. До тех пор расписания не действуют, а старые записи не удаляются.",
    ],
    "memory-low": [
      "Память почти закончилась",
      "Уменьшите число одновременных просмотров или добавьте память.",
    ],
    "memory-small": ["В устройстве слишком мало памяти", "Добавьте память или подключите меньше камер."],
    "memory-short": [
      "Памяти не хватило на всё",
      "Уменьшите число одновременных просмотров или добавьте память.",
    ],
    "frame-memory-low": [
      "Память для изображений почти закончилась",
      "Её держит диск или медленный просмотр. Проверьте диски, иначе добавьте память.",
    ],
    "too-hot": ["Устройство перегревается", "Обеспечьте приток воздуха: очистите вентилятор и решётку."],
    "event-loop-late": [
      "Процессор перегружен",
      "Уменьшите число одновременных просмотров или отключите поиск движения у части камер.",
    ],
    "motion-slow": [
      "Устройство не успевает искать движение на всех камерах",
      "Выберите для этого потоки поменьше или отключите поиск движения у части камер.",
    ],
    "alarm-failing": [
      "Тревога не дошла до получателя",
      "Проверьте его адрес и подключение устройства к сети.",
    ],
    "away-failing": [
      "Записи не уходят во внешнее хранилище",
      "Проверьте хранилище, его ключ и место в нём, а также подключение устройства к сети.",
    ],
    "bucket-failing": [
      "Записи не читаются из хранилища",
      "Проверьте хранилище, сетевой путь к нему и его ключ в настройках.",
    ],
    "hub-lost": [
      "Регистратор не соединён со своим центром",
      "Проверьте центр и сетевой путь к нему. Запись идёт дальше, попытки продолжаются сами.",
    ],
    "partner-lost": [
      "Другой регистратор, партнёр этого, не слышен",
      "Проверьте тот регистратор и сеть между ними. Запись здесь идёт дальше, связь восстановится сама.",
    ],
    "recorded-for-partner": [
      "Здесь записываются камеры другого регистратора: он молчит",
      "Проверьте тот регистратор. Когда он снова начнёт записывать, здесь запись прекратится сама.",
    ],
    "replicas-not-kept": [
      "Записи других регистраторов нельзя хранить здесь",
      "Посмотрите «Записи других регистраторов» в настройках, раздел «Центр», и диск для них.",
    ],
    "reserve-refuses": [
      "Другой регистратор не готов заменить этот",
      "Посмотрите список партнёров в настройках, раздел «Центр»: там указана причина.",
    ],
    "mqtt-lost": [
      "Нет связи с домашней автоматикой (MQTT)",
      "Проверьте брокер, его адрес и имя входа в настройках регистратора.",
    ],
    "port-shut": [
      "К регистратору нельзя подключиться одним из способов (HTTP, HTTPS или RTSP)",
      "Порт занят другой программой, или сертификат непригоден. Освободите порт или выберите другой, либо исправьте сертификат в разделе «Система».",
    ],
    "certificate-not-used": [
      "Новый сертификат страницы непригоден",
      "Загрузите его ещё раз вместе с ключом: «Система», «Сертификат HTTPS». Когда срок прежнего выйдет, браузеры будут предупреждать.",
    ],
    "certificate-not-renewed": [
      "Сертификат страницы не удаётся продлить",
      "Посмотрите в разделе «Система», «Сертификат HTTPS», что сообщает центр сертификации. Когда срок выйдет, браузеры будут предупреждать.",
    ],
    "ends-unclean": [
      "Регистратор несколько раз неожиданно завершился",
      "Отправьте файл для поддержки тем, кто его обслуживает.",
    ],
  },
};
