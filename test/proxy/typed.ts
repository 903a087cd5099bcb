import assert from 'node:assert/strict';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { createSignals } from '../../src/app/process.js';
import { interrupted } from '../../src/core/failures.js';
import { createPrograms } from '../../src/credential/exec-program.js';
import { run } from '../../src/main.js';
import { homeWith } from '../login/status/home-with.js';
import { ask } from './stand.js';

export const server = 'https://example.com/mcp';

/** A home with a login `work`, and the command line in it. `script`: where postern lies. */
export async function scene(...logins: readonly Readonly<Record<string, unknown>>[]) {
  const h = await homeWith(...(logins.length === 0 ? [{ name: 'work', server }] : logins));
  const typed = (words: readonly string[], { script = '/opt/postern.js', env = {}, tokenGiven = {} } = {}) => {
    const wrote = { stdout: '', stderr: '' };
    const interruption = new AbortController();
    let address = (_: string) => {};
    const listens = new Promise<URL>((resolve) => {
      address = (text) => resolve(new URL(text));
    });
    const sink = (name: 'stdout' | 'stderr') =>
      new Writable({
        write: (chunk, _encoding, done) => {
          wrote[name] += String(chunk);
          const [line] = /^http:\S+(?=\n)/.exec(wrote.stdout) ?? [];
          if (line !== undefined) address(line);
          done();
        },
      });
    const all = { ...h.home.env, ...env };
    const code = run(words, {
      env: all,
      stdin: () => new PassThrough().end(),
      stdout: sink('stdout'),
      stderr: sink('stderr'),
      platform: process.platform,
      homedir: h.home.path,
      version: '9.9.9',
      clientMetadataUrl: '',
      interruption,
      launch: { script, input: undefined, elapsed: () => 0 },
      tokenGiven,
      programs: createPrograms(all, createSignals()),
      signals: createSignals(),
      own: {},
    });
    return {
      listens,
      ended: code.then((exit) => ({ code: exit, ...wrote })),
      end: () => interruption.abort(interrupted()),
    };
  };
  return {
    ...h,
    keyFile: join(h.home.path, 'proxy.key'),
    /** Runs it to its end. */
    said: async (...parameters: Parameters<typeof typed>) => await typed(...parameters).ended,
    /** Starts a proxy, asks at its address and at another one, and ends it. */
    served: async (...words: readonly string[]) => {
      const proxy = typed(['proxy', 'work', ...words]);
      const refused = proxy.ended.then(({ stderr }) => assert.fail(stderr));
      const url = await Promise.race([proxy.listens, refused]);
      const port = Number(url.port);
      const [, key = ''] = url.pathname.split('/');
      const answers = [await ask({ port }, `/${key}/none`), await ask({ port }, `/${'x'.repeat(43)}/none`)];
      assert.deepEqual(
        answers.map(({ code }) => code),
        ['no_such_mount', 'key_needed'],
      );
      refused.catch(() => undefined);
      proxy.end();
      await proxy.ended;
      return { url, key };
    },
  };
}
