import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

/** A text that is sent piece by piece, to be saved as a file. */
export class Download extends StreamableFile {
  /** @param revision the user's revision before it was read */
  constructor(
    stream: Readable,
    readonly revision: number,
    { type, name }: { type: string; name: string },
  ) {
    super(stream, { type: `${type}; charset=utf-8`, disposition: `attachment; filename="${name}"` });
  }
}

/**
 * A stream of pieces. The first is made before this resolves, so that what fails at once is an error like any other; a
 * failure after that breaks the connection off, which tells the client that the text is not whole. If the client goes
 * away, the pieces end.
 */
export async function streamOf(pieces: AsyncGenerator<string>): Promise<Readable> {
  const first = await pieces.next();
  return Readable.from(
    (async function* () {
      try {
        if (!first.done) yield first.value;
        yield* pieces;
      } finally {
        await pieces.return(undefined);
      }
    })(),
  );
}
