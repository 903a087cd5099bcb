import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type Machine, openMachine } from '../support/machine.js';
import { needs } from '../support/needs.js';
import type { Finished } from '../support/program.js';
import { work } from './seeded.js';

/** Every character that a token may hold, and then some that shells like in a row. */
const every = Array.from({ length: 94 }, (_, at) => String.fromCharCode(0x21 + at))
  .join('')
  .replace(/["\\]/g, '');
const nasty = `${every}'';rm\${IFS}-rf\${IFS}~;'\`id\`$(id)!!%PATH%^&|<>*?[a]{a,b}#~='''`;
let machine: Machine;
before(async () => {
  machine = await openMachine();
});
after(() => machine[Symbol.asyncDispose]());

/** What `credential` answers for a login with that token. */
let count = 0;
async function answer(accessToken: string, ...words: readonly string[]): Promise<Finished> {
  count += 1;
  const name = `login-${count}`;
  await machine.keep(work({ accessToken, name, server: `https://${name}.example/mcp` }));
  const [format = '', ...options] = words;
  return machine.run(['credential', format, name, ...options]);
}

async function output(text: string, shell: string, ...names: string[]): Promise<string> {
  const { code, stdout, stderr } = await answer(
    text,
    'env',
    '--shell',
    shell,
    ...names.flatMap((one) => ['--var', one]),
  );
  assert.equal(code, 0, stderr);
  return stdout;
}

async function assertUnusable(asked: Promise<Finished>, why: string): Promise<void> {
  const { stdout, stderr } = await asked;
  assert.equal(stdout, '', why);
  // An item with such a token is not read to begin with.
  assert.match(stderr, /\[(?:output_unusable, exit 1|credential_corrupt, exit 7)\]\n$/, why);
}

/** What a shell makes of the assignment, given to it as people do it. */
function evaluated(command: readonly string[], script: string, text: string): string {
  const [file = '', ...args] = command;
  const { stdout, status, stderr } = spawnSync(file, [...args, script], {
    env: { PATH: process.env['PATH'], LINES_: text },
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

for (const shell of ['sh', 'dash', 'bash', 'zsh'] as const) {
  test(`[A-186] ${shell}: every character that a token may hold survives eval`, { skip: needs(shell) }, async () => {
    const script = 'eval "$LINES_"; printf "%s|%s" "$T" "$H"; env | grep -c "^T="';
    for (const text of [every, nasty]) {
      assert.equal(
        evaluated([shell, '-c'], script, await output(text, 'sh', 'T', 'H,header')),
        `${text}|Authorization: Bearer ${text}1\n`,
      );
    }
  });
}

test('[A-187] fish: every character that a token may hold survives source', { skip: needs('fish') }, async () => {
  const script = 'printf "%s" $LINES_ | source; printf "%s|%s" "$T" "$V"';
  for (const text of [every, nasty]) {
    assert.equal(
      evaluated(['fish', '--no-config', '-c'], script, await output(text, 'fish', 'T', 'V,value')),
      `${text}|Bearer ${text}`,
    );
  }
});

test('[A-186] tokens at random survive eval in sh', { skip: needs('sh') }, async () => {
  const character = fc.constantFrom(...every);
  const token = fc.array(character, { minLength: 1, maxLength: 40 }).map((all) => all.join(''));
  await fc.assert(
    fc.asyncProperty(fc.array(token, { minLength: 20, maxLength: 40 }), async (all) => {
      const text = all.join("'");
      assert.equal(evaluated(['sh', '-c'], `eval "$LINES_"; printf '%s' "$T"`, await output(text, 'sh', 'T')), text);
    }),
    { numRuns: 10 },
  );
});

test('[A-187] PowerShell: single quotes, each of its five doubled; golden, as no Debian has it', async () => {
  assert.equal(await output(every, 'pwsh', 'T'), `$env:T = '${every.replaceAll("'", "''")}'\n`);
  for (const quote of ['\u2018', '\u2019', '\u201a', '\u201b']) {
    await assertUnusable(answer(`a${quote}b`, 'env', '--shell', 'pwsh'), 'no token holds one');
  }
});

/** Ways to read a `.env` file: each prints T and V. */
const readers: readonly (readonly [name: string, command: (file: string) => readonly string[]])[] = [
  ['node', (file) => [process.execPath, `--env-file=${file}`, '-p', 'process.env.T + "|" + process.env.V']],
  ...(['sh', 'bash', 'dash', 'zsh'] as const).map(
    (shell) => [shell, (file: string) => [shell, '-c', `set -a; . ${file}; printf "%s|%s\\n" "$T" "$V"`]] as const,
  ),
];

test('[A-186][A-188] a .env file, read by Node.js and by shells, gives back every character that it can hold', {
  skip: needs('sh', 'bash', 'dash', 'zsh'),
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-test-'));
  const writable = every.replaceAll("'", '');
  try {
    for (const text of [
      writable,
      'plain.token-~+/=',
      '~root',
      'a=~root:~root',
      'with$HOME',
      'with#hash',
      '$(id)`id`',
    ]) {
      const file = join(folder, 'env');
      await writeFile(file, await output(text, 'dotenv', 'T', 'V,value'));
      for (const [name, command] of readers) {
        const [program = '', ...args] = command(file);
        const { stdout, stderr } = spawnSync(program, args, {
          env: { PATH: process.env['PATH'], HOME: folder },
          encoding: 'utf8',
        });
        assert.equal(stdout, `${text}|Bearer ${text}\n`, `${name}: ${stderr}`);
      }
      assert.deepEqual(JSON.parse(await output(text, 'json', 'T')), { T: text });
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('[A-186] a token with a quote is refused for a .env file: in double quotes a shell would run what stands in it', async () => {
  for (const text of [every, nasty, "a'$(id)", "a'b", "'"]) {
    await assertUnusable(answer(text, 'env', '--shell', 'dotenv'), text);
    assert.deepEqual(JSON.parse(await output(text, 'json', 'T')), { T: text });
  }
});

test('[A-184][A-185] curl’s configuration holds one header and nothing else, whatever the token', async () => {
  assert.equal((await answer(every, 'curl')).stdout, `header = "Authorization: Bearer ${every}"\n`);
});

test('[A-176][A-184][A-186] what no token may hold is refused by every format', async () => {
  for (const character of ['"', '\\', ' ', '\n', '\r', '\t', '\0', '\u007f', '\u00e9', '\u2028']) {
    for (const words of [['token'], ['curl'], ['env'], ['env', '--shell', 'dotenv']]) {
      await assertUnusable(answer(`a${character}b`, ...words), `${words} ${JSON.stringify(character)}`);
    }
  }
});

test('[A-188] names that decide what programs do, and names that are none, are refused', async () => {
  const fit = await answer('token', 'env');
  assert.equal(fit.stdout, "export POSTERN_ACCESS_TOKEN='token'\n");
  const deciding = ['PATH', 'LD_PRELOAD', 'BASH_ENV', 'NODE_OPTIONS', 'IFS', 'HTTPS_PROXY', 'GIT_SSH_COMMAND'];
  const none = ['POSTERN_STATE_DIR', 'x=1;id', 'lower', 'A B', 'A\n', '1A', '', 'A=server', 'A,nope'];
  for (const names of [...[...deciding, ...none].map((name) => [name]), ['A', 'A,value']]) {
    const { code, stdout } = await answer('token', 'env', ...names.map((name) => `--var=${name}`));
    assert.deepEqual([code, stdout], [2, ''], JSON.stringify(names));
  }
});
