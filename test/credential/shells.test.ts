import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { isTokenText } from '../../src/core/text/characters.js';
import { environmentOutput, readVariables, type Shell } from '../../src/credential/formats/environment.js';
import { plainOutput } from '../../src/credential/formats/plain.js';
import { needs } from '../support/needs.js';
import { Failure, Secret } from '../support/product.js';

/** Every character that a token may hold, and then some that shells like in a row. */
const every = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))
  .filter(isTokenText)
  .join('');
const nasty = `${every}'';rm\${IFS}-rf\${IFS}~;'\`id\`$(id)!!%PATH%^&|<>*?[a]{a,b}#~='''`;
const granted = (text: string) => ({ accessToken: new Secret(text), expiresAt: null, server: 'https://a.example' });
const output = (text: string, shell: Shell, ...names: string[]) =>
  environmentOutput(granted(text), shell, readVariables(names));

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
  test(`[A-186] ${shell}: every character that a token may hold survives eval`, { skip: needs(shell) }, () => {
    const script = 'eval "$LINES_"; printf "%s|%s" "$T" "$H"; env | grep -c "^T="';
    for (const text of [every, nasty]) {
      assert.equal(
        evaluated([shell, '-c'], script, output(text, 'sh', 'T', 'H,header')),
        `${text}|Authorization: Bearer ${text}1\n`,
      );
    }
  });
}

test('[A-187] fish: every character that a token may hold survives source', { skip: needs('fish') }, () => {
  const script = 'printf "%s" $LINES_ | source; printf "%s|%s" "$T" "$V"';
  for (const text of [every, nasty]) {
    assert.equal(
      evaluated(['fish', '--no-config', '-c'], script, output(text, 'fish', 'T', 'V,value')),
      `${text}|Bearer ${text}`,
    );
  }
});

test('[A-186] tokens at random survive eval in sh', { skip: needs('sh') }, () => {
  const character = fc.constantFrom(...every);
  const texts = fc.array(
    fc.array(character, { minLength: 1, maxLength: 40 }).map((all) => all.join('')),
    { minLength: 20, maxLength: 40 },
  );
  fc.assert(
    fc.property(texts, (all) => {
      const lines = all.map((text, index) => output(text, 'sh', `T_${index}`)).join('');
      const print = all.map((_, index) => `printf '%s\\n' "$T_${index}"`).join('; ');
      assert.equal(evaluated(['sh', '-c'], `eval "$LINES_"; ${print}`, lines), `${all.join('\n')}\n`);
    }),
    { numRuns: 10 },
  );
});

test('[A-187] PowerShell: single quotes, each of its five doubled; golden, as no Debian has it', () => {
  const plain = `$env:T = '${every.replaceAll("'", "''")}'\n`;
  assert.equal(output(every, 'pwsh', 'T'), plain);
  for (const quote of ['\u2018', '\u2019', '\u201a', '\u201b']) {
    assert.throws(() => output(`a${quote}b`, 'pwsh', 'T'), Failure, 'no token holds one');
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
      await writeFile(file, output(text, 'dotenv', 'T', 'V,value'));
      for (const [name, command] of readers) {
        const [program = '', ...args] = command(file);
        const { stdout, stderr } = spawnSync(program, args, {
          env: { PATH: process.env['PATH'], HOME: folder },
          encoding: 'utf8',
        });
        assert.equal(stdout, `${text}|Bearer ${text}\n`, `${name}: ${stderr}`);
      }
      assert.deepEqual(JSON.parse(output(text, 'json', 'T')), { T: text });
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('[A-186] a token with a quote is refused for a .env file: in double quotes a shell would run what stands in it', () => {
  for (const text of [every, nasty, "a'$(id)", "a'b", "'"]) {
    assert.throws(
      () => output(text, 'dotenv', 'T'),
      (error) => error instanceof Failure && error.code === 'output_unusable',
      text,
    );
    assert.deepEqual(JSON.parse(output(text, 'json', 'T')), { T: text });
  }
});

test('[A-184][A-185] curl’s configuration holds one header and nothing else, whatever the token', {
  skip: needs('curl'),
}, () => {
  const line = plainOutput('curl', granted(every));
  assert.equal(line, `header = "Authorization: Bearer ${every}"\n`);
  assert.doesNotMatch(line, /oauth2-bearer|url|proxy|insecure|location/);
});

test('[A-176][A-184][A-186] what no token may hold is refused by every format', () => {
  for (const character of ['"', '\\', ' ', '\n', '\r', '\t', '\0', '\u007f', '\u00e9', '\u2028']) {
    const bad = granted(`a${character}b`);
    for (const make of [
      () => plainOutput('token', bad),
      () => plainOutput('curl', bad),
      () => environmentOutput(bad, 'sh', readVariables([])),
      () => environmentOutput(bad, 'dotenv', readVariables([])),
    ]) {
      assert.throws(make, (error) => error instanceof Failure && error.code === 'output_unusable' && error.exit === 1);
    }
  }
});

test('[A-188] names that decide what programs do, and names that are none, are refused', () => {
  const bad = [
    'PATH',
    'LD_PRELOAD',
    'BASH_ENV',
    'NODE_OPTIONS',
    'IFS',
    'HTTPS_PROXY',
    'GIT_SSH_COMMAND',
    'POSTERN_STATE_DIR',
    'x=1;id',
    'lower',
    'A B',
    'A\n',
    '1A',
    '',
    'A=server',
    'A,nope',
  ];
  for (const name of bad) {
    assert.throws(() => readVariables([name]), Failure, JSON.stringify(name));
  }
  assert.throws(() => readVariables(['A', 'A,value']), Failure);
  assert.deepEqual(readVariables([]), [{ name: 'POSTERN_ACCESS_TOKEN', holds: 'token' }]);
});
