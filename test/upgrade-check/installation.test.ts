import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findInstallation, type InstalledBy, upgradeCommand } from '../../src/upgrade-check/installation.js';

const package_ = 'node_modules/postern/bin/postern.js';

/** Where the launcher is, what else is there, how it was installed, what is typed for 1.2.3. */
const scripts: readonly (readonly [path: string, there: readonly string[], by: InstalledBy, typed?: string])[] = [
  [`/usr/lib/${package_}`, [], 'npm', 'npm install -g postern@1.2.3'],
  [`/home/a/.nvm/versions/node/v22.1.0/lib/${package_}`, [], 'npm', 'npm install -g postern@1.2.3'],
  [`C:\\Users\\a\\AppData\\Roaming\\npm\\${package_.replaceAll('/', '\\')}`, [], 'npm', 'npm install -g postern@1.2.3'],
  [`/home/a/.npm/_npx/0f/${package_}`, ['/home/a/.npm/_npx/0f/package.json'], 'npx', 'npx postern@1.2.3'],
  [`/home/a/.local/share/pnpm/global/5/.pnpm/postern@1.0.0/${package_}`, [], 'pnpm', 'pnpm add -g postern@1.2.3'],
  [`/home/a/.config/yarn/global/${package_}`, [], 'yarn', 'yarn global add postern@1.2.3'],
  [`/home/a/.bun/install/global/${package_}`, [], 'bun', 'bun add -g postern@1.2.3'],
  [`/home/a/app/${package_}`, ['/home/a/app/package.json'], 'project', 'cd /home/a/app && npm install postern@1.2.3'],
  [
    '/home/a b/postern/bin/postern.js',
    ['/home/a b/postern/.git'],
    'clone',
    "cd '/home/a b/postern' && git pull && npm ci && npm run build",
  ],
  ['/opt/postern/bin/postern.js', [], 'folder'],
  [`/opt/homebrew/Cellar/postern/1.0.0/libexec/lib/${package_}`, [], 'homebrew', 'brew upgrade postern'],
];

const executables: typeof scripts = [
  ['/usr/bin/postern', ['/var/lib/dpkg/info/postern.list'], 'debian-package'],
  ['/usr/bin/postern', [], 'single-executable'],
  ['/home/a/bin/postern', ['/var/lib/dpkg/info/postern.list'], 'single-executable'],
  ['C:\\Users\\a\\scoop\\apps\\postern\\1.0.0\\postern.exe', [], 'scoop', 'scoop update postern'],
  [
    'C:\\Users\\a\\AppData\\Local\\Microsoft\\WinGet\\Packages\\A.postern_x\\postern.exe',
    [],
    'winget',
    'winget upgrade postern',
  ],
];

for (const [isExecutable, rows] of [
  [false, scripts],
  [true, executables],
] as const) {
  for (const [path, there, by, typed] of rows) {
    test(`${path}${there.length === 0 ? '' : `, with ${there}`}: ${by}`, () => {
      const found = findInstallation({ path, isExecutable, fileExists: (file) => there.includes(file) });
      assert.equal(found.by, by);
      assert.equal(upgradeCommand(found, 'postern', '1.2.3'), typed);
    });
  }
}
