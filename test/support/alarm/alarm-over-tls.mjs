/** Sends one alarm by a delivery given as JSON; ends with 1 when it was not taken. For NODE_EXTRA_CA_CERTS. */
import process from "node:process";

const [room, delivery, message] = process.argv.slice(2);
const { alarmSender, WEBHOOK_REACH_ANY } = await import(room);
// The clock is asked only about services.
const sendAlarm = alarmSender({ reach: WEBHOOK_REACH_ANY, language: () => "en", pictureOf: undefined });
await sendAlarm(JSON.parse(delivery), JSON.parse(message), AbortSignal.timeout(15_000)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
