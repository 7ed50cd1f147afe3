/**
 * Asks the nvrd of this machine as root: `node api-call.mjs PASSWORD METHOD PATH [JSON]`. For systems that only a shell
 * reaches. Prints the answer's body; the exit status is 1 when the answer is an error.
 */
import { createHash } from "node:crypto";

const [password = "", method = "GET", path = "", body] = process.argv.slice(2);
const md5 = createHash("md5").update(password).digest("hex");
const authorization = `Basic ${Buffer.from(`root:${md5}`).toString("base64")}`;
const answer = await fetch(`http://127.0.0.1:8080${path}`, {
  method,
  headers: { authorization },
  ...(body === undefined ? {} : { body }),
});
console.log(await answer.text());
process.exitCode = answer.ok ? 0 : 1;
