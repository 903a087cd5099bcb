import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { launchdUnits } from '../../../src/proxy/service/units/launchd.js';
import { systemdUnits } from '../../../src/proxy/service/units/systemd.js';
import type { Units } from '../../../src/proxy/service/units/units.js';
import { windowsTask } from '../../../src/proxy/service/units/windows-task.js';
import { type Home, makeHome } from '../../support/home.js';
import { needs } from '../../support/needs.js';
import { partsFor } from './unit-parts.js';

/** Folders that people have, and some that nobody should. */
const folders = [
  'plain',
  'My Documents',
  '100% sure',
  'a$HOME b',
  "it's",
  'q"uote',
  'back\\slash',
  'Zoë ✓',
  '%h%n',
  '-x',
  'a;b#c',
  'new\nline',
];

function verify(home: Home, { files }: Units) {
  const paths = files.map(({ path }) => path);
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--user', '--man=no', ...paths], {
    env: home.env,
    encoding: 'utf8',
  });
  return { status, said: stdout + stderr };
}

async function unitsIn(home: Home, folder: string, node = process.execPath): Promise<Units> {
  const inside = join(home.path, folder);
  await mkdir(inside, { recursive: true });
  await symlink(node, join(inside, 'node'));
  const start = { node: join(inside, 'node'), script: join(inside, 'postern.js'), lasts: 'upgrades' } as const;
  const variables = { POSTERN_STATE_DIR: inside };
  const units = systemdUnits(partsFor({ homedir: inside, env: {}, start, variables }));
  for (const { path, text } of units.files) {
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, text);
  }
  return units;
}

test('systemd-analyze has nothing to say of the units, wherever Node.js and postern lie', {
  skip: needs('systemd'),
}, async () => {
  await using home = await makeHome();
  for (const folder of folders) {
    const { status, said } = verify(home, await unitsIn(home, folder));
    assert.deepEqual([status, said], [0, ''], folder);
  }
  const gone = verify(home, await unitsIn(home, 'no node here', '/none/node'));
  assert.notEqual(gone.status, 0, 'it does look at the path');
});

/** What a program prints as JSON. */
function python(script: string, text: string): unknown {
  const { status, stdout, stderr } = spawnSync('python3', ['-c', script], { input: text, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

test('a reader of property lists finds in the agent the words that start the service', {
  skip: needs('python3'),
}, () => {
  for (const folder of folders) {
    const start = { node: `/Users/${folder}/node`, script: `/Users/${folder}/postern.js`, lasts: 'upgrades' } as const;
    const variables = { POSTERN_STATE_DIR: `/Users/${folder}/<&>]]>` };
    const { files } = launchdUnits(partsFor({ platform: 'darwin', homedir: '/Users/me', start, variables }));
    const script = 'import plistlib,json,sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
    const plist = python(script, files[0]?.text ?? '') as Record<string, unknown>;
    const words = [start.node, start.script, 'proxy', 'work-0123abcd', '--service'];
    assert.deepEqual(plist['ProgramArguments'], words);
    assert.deepEqual(plist['EnvironmentVariables'], variables);
    assert.equal(plist['Label'], 'postern.proxy.work-0123abcd');
    assert.equal(plist['Umask'], 0o077);
  }
});

test('a reader of XML finds in the task the words that start the service', { skip: needs('python3') }, () => {
  const script = `
import xml.etree.ElementTree as E, json, sys
t = E.fromstring(sys.stdin.buffer.read())
n = '{http://schemas.microsoft.com/windows/2004/02/mit/task}'
print(json.dumps([t.find(f'.//{n}{x}').text for x in ('Command', 'Arguments', 'UserId', 'LogonType')]))`;
  for (const folder of ['plain', 'My Documents', 'Zoë ✓', 'a&b', "it's", 'ends in \\']) {
    const start = { node: `C:\\${folder}\\node.exe`, script: `C:\\${folder}\\`, lasts: 'upgrades' } as const;
    const env = { USERDOMAIN: 'P&C', USERNAME: 'Zoë', SystemRoot: 'C:\\Windows' };
    const { files } = windowsTask(partsFor({ platform: 'win32', stateFolder: 'C:\\s', env, start }));
    const [command, line, user, logon] = python(script, files[0]?.text ?? '') as string[];
    assert.deepEqual([command, user, logon], ['C:\\Windows\\System32\\conhost.exe', 'P&C\\Zoë', 'InteractiveToken']);
    assert.deepEqual(windowsWords(line ?? ''), [
      '--headless',
      start.node,
      start.script,
      'proxy',
      'work-0123abcd',
      '--service',
    ]);
  }
});

/** As CommandLineToArgvW takes a line without escaped quotes apart. */
function windowsWords(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, inQuotes, bare]) =>
    inQuotes === undefined ? (bare ?? '') : inQuotes.replace(/(\\+)$/, (all) => all.slice(all.length / 2)),
  );
}
