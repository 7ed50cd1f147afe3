import { dictionary } from "./language.js";

/** Messages to browsers while the page is closed. */
export const messagesWords = dictionary({
  en: {
    title: "Messages",
    why: "A phone or computer tells you of events, with a picture, while this page is closed. You choose cameras, events and hours for each.",
    add: "Tell this browser",
    name: "Name of this browser",
    remove: (name: string) => `Remove ${name}`,
    inDirectory: "Users of a directory cannot get messages: the recorder cannot ask for their rights later.",
    toCertificate: "To the certificate",
    obstacles: {
      insecure:
        "Browsers allow messages over HTTPS only, with a certificate that they trust. Open this page with https:// in front of the address; have the device trust the recorder's certificate, or give the recorder one of yours.",
      unable: "This browser cannot get messages. Try another one.",
      install:
        "Put this page on the home screen first (share, then add to home screen) and open it from there.",
      blocked: "This browser blocks messages from this page. Allow them in its settings for this page.",
    },
    refusals: {
      certificate:
        "The browser does not trust the recorder's certificate. Have this device trust it, or give the recorder one of yours.",
      blocked: "You have not allowed messages from this page.",
      service:
        "The browser got no address for messages from its maker. It needs the internet; private windows get none.",
    },
    noWayOut: (host: string) =>
      `The recorder did not reach ${host}. It needs a way to the internet: look at gateway and DNS under network, and let it out to HTTPS.`,
  },
  ru: {
    title: "Сообщения",
    why: "Телефон или компьютер сообщает вам о событиях, с картинкой, пока эта страница закрыта. Для каждого вы выбираете камеры, события и часы.",
    add: "Сообщать этому браузеру",
    name: "Имя этого браузера",
    remove: (name: string) => `Убрать: ${name}`,
    inDirectory:
      "Пользователи каталога не могут получать сообщения: регистратор не может позже узнать их права.",
    toCertificate: "К сертификату",
    obstacles: {
      insecure:
        "Браузеры позволяют сообщения только по HTTPS и с сертификатом, которому доверяют. Откройте эту страницу так, чтобы её адрес начинался с HTTPS; пусть устройство доверяет сертификату регистратора, или дайте регистратору свой.",
      unable: "Этот браузер не может получать сообщения. Попробуйте другой.",
      install:
        "Сначала поместите эту страницу на домашний экран (поделиться, затем на экран «Домой») и откройте её оттуда.",
      blocked: "Этот браузер не пропускает сообщения этой страницы. Разрешите их в его настройках страницы.",
    },
    refusals: {
      certificate:
        "Браузер не доверяет сертификату регистратора. Пусть это устройство доверяет ему, или дайте регистратору свой.",
      blocked: "Вы не разрешили сообщения этой страницы.",
      service:
        "Браузер не получил адреса для сообщений от своего изготовителя. Ему нужен интернет; в приватных окнах адреса не бывает.",
    },
    noWayOut: (host: string) =>
      `Регистратор не дозвался до ${host}. Ему нужен выход в интернет: проверьте шлюз и DNS в сети и выпустите его по HTTPS.`,
  },
});
