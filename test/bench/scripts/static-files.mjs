// Serves the files of a directory over HTTP/1.1 as Node's documentation has it: a stream of the file into the answer.
//   node static-files.mjs DIRECTORY
// Prints the port.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { pipeline } from "node:stream";

const [directory = "."] = process.argv.slice(2);

const server = createServer(async (request, response) => {
  const path = join(directory, basename(new URL(request.url ?? "/", "http://peer").pathname));
  const { size } = await stat(path).catch(() => ({ size: -1 }));
  if (size < 0) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "Content-Type": "video/mp4", "Content-Length": size });
  pipeline(createReadStream(path), response, () => undefined);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
