import { request } from 'node:http';

/** An answer as it came over the wire, read by nothing that judges it. */
export interface Seen {
  readonly status: number;
  /** Every line of a header, by its name in lower case. */
  header(name: string): readonly string[];
  /** The first 4 MB of the body. */
  readonly text: string;
  readonly bytes: number;
  /** False when it dripped and was given up. */
  readonly ended: boolean;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends one request and reads the answer to its end, or to its third tiny piece. */
export function observe(url: string, asked: Asked = {}): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = asked;
    const sent = request(url, { method, headers, agent: false, maxHeaderSize: 4_194_304 }, (answer) => {
      const kept: Buffer[] = [];
      let bytes = 0;
      let tiny = 0;
      const finish = (ended: boolean): void => {
        const raw = answer.rawHeaders;
        const header = (name: string): string[] =>
          raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);
        resolve({ status: answer.statusCode ?? 0, header, text: Buffer.concat(kept).toString('utf8'), bytes, ended });
        if (!ended) answer.destroy();
      };
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        tiny += chunk.length < 3 ? 1 : 0;
        if (bytes < 4_194_304) kept.push(chunk);
        if (tiny === 3) finish(false);
      });
      answer.once('end', () => finish(true));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
