import { BackgroundProcess } from "../service/background-process.js";

const BITS_PER_BYTE = 8;
/** What the link holds of a connection before it has carried it. */
const HELD_BYTES = 32 * 1024;

/**
 * A relay to a port of this machine that takes so many bits a second, over all connections together: as behind a tunnel or a modem,
 * what the sender's kernel holds is far more than what the link carries in a minute.
 */
export class SlowLink {
  readonly port: number;
  readonly #relay: BackgroundProcess;

  private constructor(relay: BackgroundProcess, port: number) {
    this.#relay = relay;
    this.port = port;
  }

  static async to(port: number, bitsPerSecond: number): Promise<SlowLink> {
    const rate = bitsPerSecond / BITS_PER_BYTE;
    const relay = new BackgroundProcess("python3", ["-c", RELAY, `${port}`, `${rate}`, `${HELD_BYTES}`]);
    const [, own] = await relay.waitFor(/^port (\d+)$/m);
    return new SlowLink(relay, Number(own));
  }

  async stop(): Promise<void> {
    await this.#relay.stop("SIGKILL");
  }
}

const RELAY = `
import socket, sys, threading, time
port, rate, held = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
lock, due = threading.Lock(), 0.0

def turn(count):
    global due
    with lock:
        due = max(due, time.monotonic()) + count / rate
        until = due
    time.sleep(max(0.0, until - time.monotonic()))

def pump(near, far, is_paced):
    try:
        while data := near.recv(1024 if is_paced else 65536):
            if is_paced:
                turn(len(data))
            far.sendall(data)
        far.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (near, far):
            end.close()

listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, held)
listener.bind(("127.0.0.1", 0))
listener.listen()
print("port", listener.getsockname()[1], flush=True)
while True:
    near, _ = listener.accept()
    far = socket.create_connection(("127.0.0.1", port))
    for one, other, is_paced in ((near, far, True), (far, near, False)):
        threading.Thread(target=pump, args=(one, other, is_paced), daemon=True).start()
`;
