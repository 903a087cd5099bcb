import { shellWord } from '../core/text/printable.js';

/** How this program came here, and with it how a newer one comes. */
export type InstalledBy =
  | 'npm'
  | 'npx'
  | 'pnpm'
  | 'yarn'
  | 'bun'
  | 'project'
  | 'clone'
  | 'debian-package'
  | 'homebrew'
  | 'scoop'
  | 'winget'
  | 'single-executable'
  | 'folder';

/** What is looked at to find that out. */
export interface InstallationWorld {
  /** Where the launcher is, or the single executable; links followed. */
  readonly path: string;
  readonly isExecutable: boolean;
  fileExists(path: string): boolean;
}

export interface Installation {
  readonly by: InstalledBy;
  /** The folder that was cloned, or whose package.json names this program. */
  readonly folder: string | undefined;
}

/** Folders of which a path tells who has put it there. */
const managers: readonly (readonly [path: RegExp, by: InstalledBy])[] = [
  [/\/Cellar\//, 'homebrew'],
  [/\/scoop\/apps\//i, 'scoop'],
  [/\/WinGet\/Packages\//i, 'winget'],
  [/\/_npx\//, 'npx'],
  [/\/(?:pnpm[^/]*\/)?(?:dlx|global\/\d+\/\.pnpm)[^/]*\/|\/pnpm\/global\//, 'pnpm'],
  [/\/yarn\/(?:Data\/)?global\//i, 'yarn'],
  [/\/\.bun\/install\//, 'bun'],
];

/** Tells it by where the program lies; nothing is run. */
export function findInstallation({ path, isExecutable, fileExists }: InstallationWorld): Installation {
  const plain = path.replaceAll('\\', '/');
  const [, by] = managers.find(([pattern]) => pattern.test(plain)) ?? [];
  if (by !== undefined) return { by, folder: undefined };
  if (isExecutable) {
    const isPackaged = /^\/usr\/(?:bin|lib\/postern)\//.test(plain) && fileExists('/var/lib/dpkg/info/postern.list');
    return { by: isPackaged ? 'debian-package' : 'single-executable', folder: undefined };
  }
  const [, above] = /^(.*)\/node_modules\/(?:@[^/]+\/)?[^/]+\/bin\/[^/]+$/.exec(plain) ?? [];
  if (above === undefined) {
    const folder = plain.replace(/\/bin\/[^/]+$/, '');
    return { by: fileExists(`${folder}/.git`) ? 'clone' : 'folder', folder };
  }
  return fileExists(`${above}/package.json`) ? { by: 'project', folder: above } : { by: 'npm', folder: undefined };
}

/**
 * What to type to have that release. Undefined where nothing can be typed: the new one is fetched by hand.
 * @param name The package's name. @param version As semver spells it: both are harmless words of a command line.
 */
export function upgradeCommand({ by, folder }: Installation, name: string, version: string): string | undefined {
  const release = `${name}@${version}`;
  const inFolder = (command: string) => `cd ${shellWord(folder ?? '.')} && ${command}`;
  switch (by) {
    case 'npm':
      return `npm install -g ${release}`;
    case 'npx':
      return `npx ${release}`;
    case 'pnpm':
      return `pnpm add -g ${release}`;
    case 'yarn':
      return `yarn global add ${release}`;
    case 'bun':
      return `bun add -g ${release}`;
    case 'project':
      return inFolder(`npm install ${release}`);
    case 'clone':
      return inFolder('git pull && npm ci && npm run build');
    case 'homebrew':
      return 'brew upgrade postern';
    case 'scoop':
      return 'scoop update postern';
    case 'winget':
      return 'winget upgrade postern';
    case 'debian-package':
    case 'single-executable':
    case 'folder':
      return undefined;
  }
}
