import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { freePort } from '../support/free-port.js';
import { type Home, makeHome } from '../support/home.js';
import { needs } from '../support/needs.js';
import { type Running, startCommand } from '../support/program.js';
import { repositoryRoot } from '../support/repository.js';
import { startSandbox } from '../support/start-sandbox.js';

/** A command line that a text shows. */
interface Example {
  /** As it stands there, without the comment behind it. */
  readonly command: string;
  readonly line: number;
}

/** Programs that examples begin with; other code in a sentence is no command line. */
const programs = /^(?:npm|postern|curl)\s/;

/** The command lines of a Markdown text, in order: each line of an `sh` block, and code in sentences that begins with a program. */
function examplesOf(markdown: string): readonly Example[] {
  const examples: Example[] = [];
  let inBlock = false;
  for (const [at, text] of markdown.split('\n').entries()) {
    const line = at + 1;
    if (text.startsWith('```')) inBlock = text === '```sh';
    else if (inBlock) examples.push({ command: withoutComment(text), line });
    else {
      const codes = [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
      examples.push(...codes.filter((code) => programs.test(code)).map((command) => ({ command, line })));
    }
  }
  return examples.filter(({ command }) => command !== '');
}

/** A comment stands behind at least two blanks. */
function withoutComment(line: string): string {
  return line.replace(/(?:^|\s{2,})#\s.*$/, '').trim();
}

/**
 * Writes a program that stands where the person's browser would: it walks the sandbox's pages, and says yes to them.
 * @returns its absolute path, the value for `BROWSER`
 */
async function walkingBrowser(home: Pick<Home, 'path'>): Promise<string> {
  const path = join(home.path, 'walking-browser');
  const walk = pathToFileURL(join(repositoryRoot, 'build', 'src', 'sandbox', 'walk.js'));
  const text = `#!${process.execPath}\nimport('${walk}').then(({ walkLogin }) => walkLogin(process.argv[2]));\n`;
  await writeFile(path, text, { mode: 0o755 });
  return path;
}

interface Way {
  /** How the example begins. */
  readonly begins: string;
  /** Why it is not run here. */
  readonly notRun?: string;
  /** It runs until it is ended: what it writes when it serves. */
  readonly serves?: RegExp;
  /** What it must write. */
  readonly prints?: RegExp;
  /** It is typed in a clone of the repository. */
  readonly inClone?: boolean;
}

/** What is to be known of an example beyond “it ends with exit code 0”. */
const ways: readonly Way[] = [
  { begins: 'npm run build && npm i -g .', inClone: true },
  { begins: 'npm ci && npm run demo', inClone: true, prints: /Done\./ },
  { begins: 'npm ci && npm test', notRun: 'it runs this test' },
  { begins: 'npm run picture', notRun: 'it draws the picture anew; the test below looks at the one that is there' },
  { begins: 'postern login https://example.com/mcp --no-browser', serves: /response_type=code/ },
  { begins: 'postern login http', prints: /Logged in/ },
  { begins: 'postern call work echo --help', prints: /text/ },
  { begins: 'postern call sandbox whoami --verbose', prints: /^alice /m },
  { begins: 'postern shell work', serves: /whoami/ },
  { begins: 'postern call work echo', prints: /^hello$/m },
  { begins: 'postern call work note_add', prints: /^Kept as note/m },
  { begins: 'postern call work --json', prints: /^whoami$/m },
  { begins: 'postern call work', prints: /./ },
  { begins: 'postern request', prints: /"tools"/ },
  { begins: 'curl --unix-socket', notRun: 'the test of both recipes runs it: socket-recipes.test.ts' },
  { begins: 'curl -H', prints: /"tools"/ },
  { begins: 'POSTERN_CLIENT_ID', prints: /^ci / },
  { begins: 'postern bridge work', serves: /"protocolVersion"/ },
  { begins: 'postern proxy work --socket', serves: /work/ },
  { begins: 'postern proxy work', serves: /http:\/\/127\.0\.0\.1:\d+\/\S+\/work/ },
  { begins: 'postern doctor --explain', prints: /RFC 9728/ },
  { begins: 'postern doctor https', prints: /No problems found/ },
  { begins: 'postern doctor', prints: /an item was written, read and removed/ },
  { begins: 'postern sandbox --misbehave list', prints: /as-no-pkce/ },
  { begins: 'postern sandbox', serves: /http:\/\/127\.0\.0\.1:\d+\/mcp/ },
];

/** What a program that serves is told on stdin, where it waits for that. */
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

const readme = await readFile(join(repositoryRoot, 'README.md'), 'utf8');
const examples = examplesOf(readme);
const wayOf = ({ command }: Example) => ways.find(({ begins }) => command.startsWith(begins));

test('README has at most 130 lines, and what it is, how to install it and its first commands stand in the first fifteen', () => {
  assert.ok(readme.split('\n').length <= 131);
  const first = readme.split('\n').slice(0, 15).join('\n');
  for (const what of ['npm i -g .', 'postern login ', 'postern call ', 'postern setup '])
    assert.ok(first.includes(what));
  // Nobody has published a package of this name: whoever took one from the registry would run a stranger's.
  assert.doesNotMatch(readme, /\bnpx postern|npm i(?:nstall)? (?:-g )?postern/);
});

test('what is known of examples is known of examples that are there', () => {
  const used = new Set(examples.map(wayOf));
  assert.deepEqual(
    ways.filter((way) => !used.has(way)).map(({ begins }) => begins),
    [],
  );
});

test('the picture of README is drawn from a terminal in both themes, as text', async () => {
  for (const theme of ['light', 'dark']) {
    assert.ok(readme.includes(`.github/terminal-${theme}.svg`));
    const svg = await readFile(join(repositoryRoot, '.github', `terminal-${theme}.svg`), 'utf8');
    for (const what of ['postern login ', 'postern call work', 'Logged in', 'postern status']) {
      assert.ok(svg.includes(what), `${theme}: ${what}`);
    }
    assert.doesNotMatch(svg, /<image|<script|@import|url\(/);
    assert.ok(readme.includes(`.github/doctor-${theme}.svg`));
    const sick = await readFile(join(repositoryRoot, '.github', `doctor-${theme}.svg`), 'utf8');
    for (const what of ['A login fails', 'the server’s operator', 'FAIL', 'No problems found']) {
      assert.ok(sick.includes(what), `${theme}: ${what}`);
    }
    assert.doesNotMatch(sick, /<image|<script|@import|url\(/);
  }
});

describe('every example of README does what it says', { skip: needs('curl', 'sh') }, () => {
  let home: Home;
  let clone = '';
  let sandbox: Awaited<ReturnType<typeof startSandbox>>;
  let approving: Awaited<ReturnType<typeof startSandbox>>;
  let port = 0;

  before(async () => {
    sandbox = await startSandbox({ clients: [{ client_id: 'ci', client_secret: 'secret of ci', redirect_uris: [] }] });
    approving = await startSandbox({ approve: true });
    port = await freePort();
    const bare = await makeHome();
    const prefix = join(bare.path, 'prefix');
    const key = join(bare.path, 'key');
    await writeFile(key, randomBytes(32), { mode: 0o600 });
    await writeFile(join(bare.path, 'ci-secret'), 'secret of ci\n', { mode: 0o600 });
    const [client = ''] = /\{"client_id".*?\}/.exec(readme) ?? [];
    await writeFile(join(bare.path, 'ci.json'), client);
    const env = {
      ...bare.env,
      PATH: `${join(prefix, 'bin')}:${bare.env['PATH']}`,
      POSTERN_STORE: 'file',
      POSTERN_STORE_KEY_FILE: key,
      BROWSER: await walkingBrowser(bare),
      DISPLAY: ':9',
      npm_config_prefix: prefix,
      npm_config_loglevel: 'error',
      // Whoever runs the tests has installed the same packages before: npm has them at hand.
      npm_config_prefer_offline: 'true',
    };
    home = { ...bare, env };
    clone = join(bare.path, 'clone');
    const left = new Set(['node_modules', 'build', 'dist', '.git', 'newer']);
    await cp(repositoryRoot, clone, { recursive: true, filter: (path) => !left.has(basename(path)) });
  });

  after(async () => {
    await home[Symbol.asyncDispose]();
    await sandbox.close();
    await approving.close();
  });

  /** The example with what stands in this test for what it names; a login is there by then. */
  function mapped(command: string): string {
    return command
      .replaceAll('https://example.com/mcp', sandbox.serverUrl)
      .replaceAll('https://as.example', sandbox.issuer)
      .replaceAll('http://127.0.0.1:5800/mcp', approving.serverUrl)
      .replace(/--port (?:5800|8123)/g, `--port ${port}`)
      .replaceAll('--clients ci.json', `--clients ${join(home.path, 'ci.json')}`)
      .replaceAll('/run/secrets/ci', join(home.path, 'ci-secret'))
      .replace(/ --no-browser$/, ' --no-browser --force');
  }

  function start({ command }: Example, way: Way | undefined): Running {
    const line = mapped(command);
    if (way?.inClone === true) {
      // npm finds its registry and its cache as it does for whoever runs the tests.
      const { HOME = '' } = process.env;
      return startCommand('sh', ['-c', line], { ...home, path: clone, env: { ...home.env, HOME } });
    }
    return startCommand('sh', ['-c', way?.serves === undefined ? line : `exec ${line}`], home);
  }

  for (const example of examples) {
    const way = wayOf(example);
    if (way?.notRun !== undefined) continue;
    test(`line ${example.line}: ${example.command}`, async () => {
      await using running = start(example, way);
      if (way?.serves !== undefined) {
        running.stdin.write(way.begins === 'postern shell work' ? 'tools\n' : `${initialize}\n`);
        await Promise.any([running.waitForStdout(way.serves), running.waitForStderr(way.serves)]);
        return;
      }
      running.stdin.end();
      const { code, stdout, stderr } = await running.finished;
      assert.equal(code, 0, `${stdout}\n${stderr}`);
      if (way?.prints !== undefined) assert.match(`${stdout}\n${stderr}`, way.prints);
    });
  }
});
