import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { startStandInKeyring } from './stand-in-keyring.mjs';

/**
 * Runs what is wanted quickly, so that V8 compiles what every run needs: on the sandbox, in a home of its own, with a login in
 * a file, and one in a keychain.
 * @param run of the bundle whose functions are kept
 * @param other The same, of which nothing is kept: it makes the login, since every run would have to carry that code.
 * @param startSandbox of the compiled sources
 * @param writeSoFar writes what has run, under a name: for each command that scripts call often (bin/postern.js)
 */
export async function usualRuns(run, other, startSandbox, writeSoFar) {
  const home = mkdtempSync(join(tmpdir(), 'postern-build-'));
  const key = join(home, 'key');
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
  const bus = join(home, 'bus');
  let item;
  const own = { store: storeThat((written) => (item = written)) };
  const world = ({ folder = 'state', own = {} }) => ({
    env: {
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus}`,
      POSTERN_STATE_DIR: join(home, folder),
      POSTERN_CONFIG_DIR: home,
      POSTERN_STORE_KEY_FILE: key,
    },
    stdin: () => process.stdin,
    stdout: sink(),
    stderr: sink(),
    platform: process.platform,
    homedir: home,
    version: '0',
    clientMetadataUrl: '',
    interruption: new AbortController(),
    programs: {},
    launch: { script: join(home, 'postern'), before: undefined, elapsed: () => 0 },
    tokenGiven: {},
    signals: { offer: () => ({ [Symbol.dispose]: () => undefined }) },
    own,
  });
  const post = ['-H', 'content-type: application/json', '-d', '{"jsonrpc":"2.0","id":1,"method":"ping"}'];
  const login = ['login', sandbox.serverUrl, '--name', 'work', '--device'];
  const inKeychain = [
    [login, other, { folder: 'keychain', own }],
    [['token', 'work'], run, { folder: 'keychain' }],
  ];
  const tokens = [
    ...(isOnBus ? inKeychain : []),
    [[...login, '--store', 'file'], other],
    [['token', 'work', '--refresh'], run],
  ];
  const requests = [[['request', sandbox.serverUrl, ...post], run]];
  const others = [['--help'], ['status', '--help'], [], ['status'], ['call', 'work'], ['call', 'work', 'whoami']];
  const runAll = async (runs) => {
    for (const [argv, program, where = {}] of runs) {
      said = '';
      const exit = await program(argv, world(where));
      if (exit !== 0) throw new Error(`postern ${argv.join(' ')}: exit ${exit}\n${said}`);
    }
  };
  const keyring = isOnBus ? await startStandInKeyring(bus, () => item) : undefined;
  try {
    await runAll(tokens);
    writeSoFar('token'); // first, as it is the one that has to be quickest
    await runAll(requests);
    writeSoFar('request');
    await runAll(others.map((argv) => [argv, run]));
  } finally {
    keyring?.close();
    await sandbox.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Only there is a keychain read by code of ours. */
const isOnBus = !['darwin', 'win32'].includes(process.platform);

/** In place of a keychain: what is written is taken, and nothing is there. */
function storeThat(takes) {
  return {
    kind: 'keychain',
    ready: async () => undefined,
    read: async () => undefined,
    write: async (_key, secret) => takes(secret.reveal()),
    remove: async () => false,
  };
}
