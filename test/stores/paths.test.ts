import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statePaths } from '../../src/stores/paths.js';
import { Failure } from '../support/product.js';

test('the folders are those of the XDG specification, of macOS and of Windows', () => {
  assert.deepEqual(statePaths({}, 'linux', '/home/ann'), {
    config: '/home/ann/.config/postern',
    state: '/home/ann/.local/state/postern',
  });
  assert.deepEqual(statePaths({ XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' }, 'linux', '/home/ann'), {
    config: '/c/postern',
    state: '/s/postern',
  });
  assert.deepEqual(statePaths({ XDG_STATE_HOME: '' }, 'darwin', '/Users/ann'), {
    config: '/Users/ann/Library/Application Support/postern',
    state: '/Users/ann/Library/Application Support/postern',
  });
  const windows = { APPDATA: 'C:\\Users\\ann\\AppData\\Roaming', LOCALAPPDATA: 'D:\\Local' };
  assert.deepEqual(statePaths(windows, 'win32', 'C:\\Users\\ann'), {
    config: 'C:\\Users\\ann\\AppData\\Roaming\\postern',
    state: 'D:\\Local\\postern',
  });
  assert.equal(statePaths({}, 'win32', 'C:\\Users\\ann').state, 'C:\\Users\\ann\\AppData\\Local\\postern');
});

test('the program’s own variables go before all others', () => {
  const env = { POSTERN_CONFIG_DIR: '/a/b', POSTERN_STATE_DIR: '/c', XDG_STATE_HOME: 'relative' };
  assert.deepEqual(statePaths(env, 'linux', ''), { config: '/a/b', state: '/c' });
});

test('[A-203] a relative folder is refused, and the variable named', () => {
  const cases: [variable: string, value: string, platform: string][] = [
    ['XDG_STATE_HOME', 'state', 'linux'],
    ['XDG_CONFIG_HOME', '../config', 'linux'],
    ['XDG_CONFIG_HOME', '~/.config', 'linux'],
    ['POSTERN_STATE_DIR', './here', 'linux'],
    ['POSTERN_CONFIG_DIR', 'C:\\config', 'linux'],
    ['LOCALAPPDATA', 'Local', 'win32'],
    ['POSTERN_STATE_DIR', '\\on\\any\\drive', 'win32'],
    ['POSTERN_STATE_DIR', 'C:relative', 'win32'],
    ['XDG_STATE_HOME', '/a\0b', 'linux'],
  ];
  for (const [variable, value, platform] of cases) {
    const home = platform === 'win32' ? 'C:\\Users\\ann' : '/home/ann';
    assert.throws(
      () => statePaths({ [variable]: value }, platform, home),
      (error) =>
        error instanceof Failure &&
        error.code === 'path_refused' &&
        error.exit === 2 &&
        error.remedy.includes(variable),
      `${variable}=${value}`,
    );
  }
  assert.throws(() => statePaths({}, 'linux', 'home'), { code: 'path_refused' });
});

test('without a home folder each of the two is still taken where a variable names it, and else HOME is asked for', () => {
  const named = { XDG_CONFIG_HOME: '/c', POSTERN_STATE_DIR: '/s' };
  assert.deepEqual(statePaths(named, 'linux', ''), { config: '/c/postern', state: '/s' });
  assert.throws(() => statePaths({ XDG_CONFIG_HOME: '/c' }, 'linux', ''), { message: 'HOME is not set.', exit: 2 });
  assert.throws(() => statePaths({}, 'win32', ''), { message: 'USERPROFILE is not set.' });
});
