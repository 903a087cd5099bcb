import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { launchdUnits } from '../../../src/proxy/service/units/launchd.js';
import { quotedWord, systemdUnits } from '../../../src/proxy/service/units/systemd.js';
import { windowsTask } from '../../../src/proxy/service/units/windows-task.js';
import { escapedXml } from '../../../src/proxy/service/units/xml.js';
import { anyText } from '../../support/arbitraries.js';
import { isFailure } from '../../support/product.js';
import { partsFor } from './unit-parts.js';

test('systemd: the port is held by a socket unit at loopback; the service starts by absolute paths, with no key in it', () => {
  const { files, start, links } = systemdUnits(partsFor({ variables: { POSTERN_STATE_DIR: '/home/me/s' } }));
  const [socket, service] = files.map(({ text }) => text);
  assert.deepEqual(
    files.map(({ path }) => path),
    ['socket', 'service'].map((end) => `/home/me/.config/systemd/user/postern-proxy-work-0123abcd.${end}`),
  );
  assert.match(socket ?? '', /^ListenStream=127\.0\.0\.1:17300$/m);
  assert.match(socket ?? '', /^WantedBy=sockets\.target$/m);
  assert.match(
    service ?? '',
    /^ExecStart="\/usr\/bin\/node" "\/opt\/postern\/bin\/postern\.js" "proxy" "work-0123abcd" "--service"$/m,
  );
  assert.match(service ?? '', /^Environment="POSTERN_STATE_DIR=\/home\/me\/s"$/m);
  assert.match(service ?? '', /^RestartPreventExitStatus=2 3 4 5 7$/m);
  assert.deepEqual(start[1]?.words, ['systemctl', '--user', 'enable', '--now', 'postern-proxy-work-0123abcd.socket']);
  assert.deepEqual(links, ['/home/me/.config/systemd/user/sockets.target.wants/postern-proxy-work-0123abcd.socket']);
});

test('systemd: units lie where this person’s configuration does; a relative XDG_CONFIG_HOME is none', () => {
  const folderOf = (value: string) => systemdUnits(partsFor({ env: { XDG_CONFIG_HOME: value } })).files[0]?.path;
  assert.match(folderOf('/x/y') ?? '', /^\/x\/y\/systemd\/user\//);
  assert.match(folderOf('y') ?? '', /^\/home\/me\/\.config\/systemd\/user\//);
});

test('systemd: no word leaves its line or its quotes', () => {
  fc.assert(
    fc.property(anyText(), (word) => {
      const line = quotedWord(word);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left
      assert.doesNotMatch(line, /[\x00-\x1f\x7f]/);
      assert.match(line, /^"(?:[^"\\]|\\["\\]|\\x[0-9a-f]{2})*"$/s);
      assert.doesNotMatch(line.replaceAll('%%', ''), /%/);
    }),
  );
});

test('launchd: an agent of the user’s, begun at each login, again after a crash alone', () => {
  const { files, start, stop } = launchdUnits(partsFor({ platform: 'darwin', homedir: '/Users/me' }));
  const [{ path, text } = { path: '', text: '' }] = files;
  assert.equal(path, '/Users/me/Library/LaunchAgents/postern.proxy.work-0123abcd.plist');
  assert.match(text, /<key>RunAtLoad<\/key>\s*<true\/>/);
  assert.match(text, /<key>KeepAlive<\/key>\s*<dict>\s*<key>Crashed<\/key>\s*<true\/>/);
  assert.deepEqual(start[1]?.words, ['launchctl', 'bootstrap', 'gui/501', path]);
  assert.deepEqual(stop[0]?.words, ['launchctl', 'bootout', 'gui/501/postern.proxy.work-0123abcd']);
});

const windows = {
  platform: 'win32',
  homedir: 'C:\\Users\\me',
  stateFolder: 'C:\\Users\\me\\AppData\\Local\\postern',
  env: { USERDOMAIN: 'PC', USERNAME: 'Zoë', SystemRoot: 'C:\\Windows' },
};

test('Windows: a task of this user’s own, without a window, and without the rights of an administrator', () => {
  const start = {
    node: 'C:\\Program Files\\nodejs\\node.exe',
    script: 'C:\\x\\postern.js',
    lasts: 'upgrades',
  } as const;
  const { files, start: commands } = windowsTask(partsFor({ ...windows, start }));
  const [{ path, text } = { path: '', text: '' }] = files;
  assert.equal(path, 'C:\\Users\\me\\AppData\\Local\\postern\\services\\work-0123abcd.xml');
  assert.equal(text.match(/<UserId>PC\\Zo&#235;<\/UserId>/g)?.length, 2);
  assert.match(text, /<Command>C:\\Windows\\System32\\conhost\.exe<\/Command>/);
  assert.ok(
    text.includes(
      escapedXml('--headless "C:\\Program Files\\nodejs\\node.exe" C:\\x\\postern.js proxy work-0123abcd --service'),
    ),
  );
  assert.match(text, /<RunLevel>LeastPrivilege<\/RunLevel>/);
  assert.deepEqual(commands[1]?.words, [
    'schtasks',
    '/Create',
    '/F',
    '/TN',
    'postern proxy work-0123abcd',
    '/XML',
    path,
  ]);
});

test('Windows: a path in which the Task Scheduler would replace something is refused', () => {
  for (const node of ['C:\\a%PATH%\\node.exe', 'C:\\$(Arg0)\\node.exe', 'C:\\a"b\\node.exe']) {
    const start = { node, script: 'C:\\x\\postern.js', lasts: 'upgrades' } as const;
    assert.throws(
      () => windowsTask(partsFor({ ...windows, start })),
      (error) => isFailure(error, 'service_unsayable'),
      node,
    );
  }
});

test('text in XML is ASCII, cannot end its tag, and reads back as it was, but for what XML has no place for', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const xml = escapedXml(text);
      assert.match(xml, /^[\x20-\x7e]*$/);
      assert.doesNotMatch(xml, /[<>"']|&(?!#\d+;)/);
      const back = xml.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those that XML has no place for
      assert.equal(back, text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Cs}/gu, '\ufffd'));
    }),
  );
});
