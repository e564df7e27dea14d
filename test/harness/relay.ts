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
  /** Whether new connections are closed as soon as they are made. */
  isRefusing = false;

  /** Changes what PostgreSQL says. */
  rewrite: (answer: Buffer, link: Link) => Buffer = (answer) => answer;

  private constructor(
    private readonly server: Server,
    readonly url: string,
    private port: number,
  ) {}

  /** @param target connection string of what is behind it */
  static async start(target: string): Promise<Relay> {
    const url = new URL(target);
    const port = Number(url.port);
    const server = createServer({ allowHalfOpen: true }, (near) => relay.accept(near));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    url.port = String(address !== null && typeof address === 'object' ? address.port : 0);
    const relay = new Relay(server, url.href, port);
    return relay;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((done) => this.server.close(done));
  }

  /** Leads to another server from now on. Connections to the one before are cut. */
  lead(target: string): void {
    this.port = Number(new URL(target).port);
    for (const { near, far } of this.links) {
      near.destroy();
      far.destroy();
    }
  }

  private accept(near: Socket): void {
    if (this.isRefusing) return void near.destroy();
    const far = connect({ port: this.port, host: '127.0.0.1', allowHalfOpen: true });
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
