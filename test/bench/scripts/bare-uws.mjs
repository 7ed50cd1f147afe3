// The least a server with uWebSockets.js can do: the same bytes to every request.
//   node bare-uws.mjs ANSWER.json BODY      (the JSON: [[header, value], ...])

import { App, us_socket_local_port } from "uWebSockets.js";
import { readFileSync } from "node:fs";

const headers = JSON.parse(readFileSync(process.argv[2], "utf8"));
const body = readFileSync(process.argv[3]);
App()
  .any("/*", (response) => {
    response.cork(() => {
      response.writeStatus("200 OK");
      for (const [name, value] of headers) response.writeHeader(name, value);
      response.end(body);
    });
  })
  .listen("127.0.0.1", 0, 1, (socket) => console.log(`port ${us_socket_local_port(socket)}`));
