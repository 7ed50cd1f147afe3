/** Sends one alarm by a delivery given as JSON; ends with 1 when it was not taken. For NODE_EXTRA_CA_CERTS. */
import process from "node:process";

const [room, delivery, message] = process.argv.slice(2);
const { sendAlarm } = await import(room);
await sendAlarm(JSON.parse(delivery), JSON.parse(message), AbortSignal.timeout(15_000)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
