import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';

/**
 * Runs what is wanted quickly, so that V8 compiles what every run needs: on the sandbox, in a home of its own.
 * @param run of the bundle whose functions are kept
 * @param other The same, of which nothing is kept: it makes the login, since every run would have to carry that code.
 * @param startSandbox of the compiled sources
 */
export async function usualRuns(run, other, startSandbox) {
  const home = mkdtempSync(join(tmpdir(), 'postern-build-'));
  const [state, key] = [join(home, 'state'), join(home, 'key')];
  writeFileSync(key, randomBytes(32), { mode: 0o600 });
  const sandbox = await startSandbox({ approve: true });
  let said = '';
  const sink = () =>
    new Writable({
      write: (piece, _encoding, done) => {
        said += piece;
        done();
      },
    });
  const world = () => ({
    env: { POSTERN_STATE_DIR: state, POSTERN_CONFIG_DIR: home, POSTERN_STORE_KEY_FILE: key },
    stdin: () => process.stdin,
    stdout: sink(),
    stderr: sink(),
    platform: process.platform,
    homedir: home,
    version: '0',
    clientMetadataUrl: '',
    interruption: new AbortController(),
    programs: {},
    launch: { script: join(home, 'postern'), input: undefined, elapsed: () => 0 },
    tokenGiven: {},
    signals: { offer: () => ({ [Symbol.dispose]: () => undefined }) },
    own: {},
  });
  const post = ['-H', 'content-type: application/json', '-d', '{"jsonrpc":"2.0","id":1,"method":"ping"}'];
  const login = ['login', sandbox.serverUrl, '--name', 'work', '--device', '--store', 'file'];
  const runs = [
    ['--help'],
    ['status', '--help'],
    [],
    ['status'],
    login,
    ['call', 'work'],
    ['call', 'work', 'whoami'],
    ['request', sandbox.serverUrl, ...post],
    ['token', 'work', '--refresh'],
    ['status'],
  ];
  try {
    for (const argv of runs) {
      said = '';
      const exit = await (argv === login ? other : run)(argv, world());
      if (exit !== 0) throw new Error(`postern ${argv.join(' ')}: exit ${exit}\n${said}`);
    }
  } finally {
    await sandbox.close();
    rmSync(home, { recursive: true, force: true });
  }
}
