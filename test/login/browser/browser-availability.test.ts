import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { browserAvailability } from '../../../src/login/browser/browser-availability.js';
import type { BrowserAvailability } from '../../support/product.js';

const availability = (env: Record<string, string>, files: readonly string[] = [], platform = 'linux') =>
  browserAvailability({ env, platform }, { fileExists: (path) => files.includes(path), readText: () => undefined });

test('SSH, WSL, container and missing display are told apart', () => {
  const cases: readonly (readonly [BrowserAvailability, BrowserAvailability])[] = [
    [availability({ DISPLAY: ':0' }), 'desktop'],
    [availability({ WAYLAND_DISPLAY: 'wayland-0' }), 'desktop'],
    [availability({}), 'no_display'],
    [availability({ DISPLAY: '' }), 'no_display'],
    [availability({ SSH_CONNECTION: '1 2 3 4', DISPLAY: 'localhost:10.0' }), 'ssh'],
    [availability({ SSH_TTY: '/dev/pts/1' }, ['/.dockerenv']), 'ssh'],
    [availability({ WSL_DISTRO_NAME: 'Debian', DISPLAY: ':0' }), 'wsl'],
    [availability({}, ['/.dockerenv']), 'container'],
    [availability({}, ['/run/.containerenv']), 'container'],
    [availability({ container: 'podman' }), 'container'],
    [availability({ DISPLAY: ':0' }, ['/.dockerenv']), 'desktop'],
    [availability({}, [], 'darwin'), 'desktop'],
    [availability({}, [], 'win32'), 'desktop'],
    [availability({ SSH_TTY: '/dev/ttys001' }, [], 'darwin'), 'ssh'],
  ];
  for (const [index, [told, wanted]] of cases.entries()) assert.equal(told, wanted, `case ${index}`);
});

test('whatever the environment holds, there is a seat, and SSH goes first', () => {
  const names = fc.constantFrom('DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME', 'container', 'OTHER');
  fc.assert(
    fc.property(fc.dictionary(names, fc.string()), fc.boolean(), (env, marked) => {
      const files = marked ? ['/.dockerenv'] : [];
      assert.match(availability(env, files), /^(desktop|container|wsl|no_display)$/);
      assert.equal(availability({ ...env, SSH_CONNECTION: 'x' }, files), 'ssh');
    }),
  );
});
