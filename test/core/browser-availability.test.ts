import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Seat, seatOf } from '../../src/core/browser-availability.js';

const seat = (env: Record<string, string>, files: readonly string[] = [], platform = 'linux') =>
  seatOf({ env, platform, fileExists: (path) => files.includes(path) });

test('SSH, WSL, container and missing display are told apart', () => {
  const cases: readonly (readonly [Seat, Seat])[] = [
    [seat({ DISPLAY: ':0' }), 'desktop'],
    [seat({ WAYLAND_DISPLAY: 'wayland-0' }), 'desktop'],
    [seat({}), 'no_display'],
    [seat({ DISPLAY: '' }), 'no_display'],
    [seat({ SSH_CONNECTION: '1 2 3 4', DISPLAY: 'localhost:10.0' }), 'ssh'],
    [seat({ SSH_TTY: '/dev/pts/1' }, ['/.dockerenv']), 'ssh'],
    [seat({ WSL_DISTRO_NAME: 'Debian', DISPLAY: ':0' }), 'wsl'],
    [seat({}, ['/.dockerenv']), 'container'],
    [seat({}, ['/run/.containerenv']), 'container'],
    [seat({ container: 'podman' }), 'container'],
    [seat({ DISPLAY: ':0' }, ['/.dockerenv']), 'desktop'],
    [seat({}, [], 'darwin'), 'desktop'],
    [seat({}, [], 'win32'), 'desktop'],
    [seat({ SSH_TTY: '/dev/ttys001' }, [], 'darwin'), 'ssh'],
  ];
  for (const [index, [told, wanted]] of cases.entries()) assert.equal(told, wanted, `case ${index}`);
});

test('whatever the environment holds, there is a seat, and SSH goes first', () => {
  const names = fc.constantFrom('DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME', 'container', 'OTHER');
  fc.assert(
    fc.property(fc.dictionary(names, fc.string()), fc.boolean(), (env, marked) => {
      const files = marked ? ['/.dockerenv'] : [];
      assert.match(seat(env, files), /^(desktop|container|wsl|no_display)$/);
      assert.equal(seat({ ...env, SSH_CONNECTION: 'x' }, files), 'ssh');
    }),
  );
});
