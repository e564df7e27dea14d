import { connect, createServer, type Server, type Socket } from 'node:net';

/** A connection through the relay. */
interface Link {
  near: Socket;
  far: Socket;
  /** Whether it is one that listens for notifications. */
  listens: boolean;
}

/** Stands between the service and PostgreSQL, and can lose what is sent while both ends believe to be connected. */
export class Relay {
  readonly links = new Set<Link>();
  readonly #sockets = new Set<Socket>();

  /** Which connections are dead without looking it. */
  isSilent: (link: Link) => boolean = () => false;

  /** Learns what is sent to PostgreSQL. */
  onSent: (chunk: Buffer) => void = () => undefined;

  /** Changes what PostgreSQL says. */
  rewrite: (answer: Buffer, link: Link) => Buffer = (answer) => answer;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** @param target connection string of what is behind it */
  static async start(target: string): Promise<Relay> {
    const url = new URL(target);
    const { port } = url;
    const server = createServer({ allowHalfOpen: true }, (near) => relay.accept(near, Number(port)));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    url.port = String(address !== null && typeof address === 'object' ? address.port : 0);
    const relay = new Relay(server, url.href);
    return relay;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((done) => this.server.close(done));
  }

  private accept(near: Socket, port: number): void {
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const link: Link = { near, far, listens: false };
    this.links.add(link);
    near.on('data', (chunk) => {
      this.onSent(chunk);
      if (chunk.includes('listen "')) link.listens = true;
      if (!this.isSilent(link)) far.write(chunk);
    });
    far.on('data', (chunk) => {
      if (!this.isSilent(link)) near.write(this.rewrite(chunk, link));
    });
    // The far side always learns that the near one has gone, so that no session is left; not so the other way round.
    near.on('end', () => far.end());
    near.on('close', () => {
      this.links.delete(link);
      far.destroy();
    });
    far.on('end', () => !this.isSilent(link) && near.end());
    far.on('close', () => {
      this.links.delete(link);
      if (!this.isSilent(link)) near.destroy();
    });
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
    }
  }
}
