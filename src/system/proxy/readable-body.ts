import type { Readable } from 'node:stream';
import type { BodySink, BodySource } from '../http/body-source.js';

/** A stream of Node's as a connection to a server takes it. */
export class ReadableBody implements BodySource {
  readonly length: number | undefined;
  readonly #readable: Readable;

  constructor(readable: Readable, length: number | undefined) {
    this.#readable = readable;
    this.length = length;
  }

  start(sink: BodySink): void {
    this.#readable
      .on('data', (piece: Uint8Array) => {
        if (!sink.bodyPiece(piece)) this.#readable.pause();
      })
      .once('end', () => sink.bodyEnd())
      .once('error', (error) => sink.bodyFailed(error));
  }

  resume(): void {
    this.#readable.resume();
  }

  stop(): void {
    this.#readable.on('error', () => undefined).destroy();
  }
}
