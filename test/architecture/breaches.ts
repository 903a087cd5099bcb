import { circlesIn } from './circles.js';
import { earlyReturnsIn, promiseNames } from './early-returns.js';
import { type Import, importsOf } from './imports.js';
import { lexSource } from './lexed-source.js';

export type BreachKind =
  | 'unknown room'
  | 'outside its room'
  | 'leaves src'
  | 'package outside its home'
  | 'package loaded at import'
  | 'computed import'
  | 'circle of files'
  | 'circle of folders'
  | 'default export'
  | 'module state'
  | 'touches the process'
  | 'file too long'
  | 'folder too full'
  | 'over its budget'
  | 'returned unawaited'
  | 'limit that is collected';

export interface Breach {
  readonly file: string;
  readonly kind: BreachKind;
  readonly detail: string;
}

/** The ground: what each of its rooms may import beside itself. */
const ground: Readonly<Record<string, readonly string[]>> = {
  core: [],
  http: ['core'],
  relay: [],
  stores: ['core'],
  oauth: ['http', 'core'],
  mcp: ['http', 'core'],
  tokens: ['oauth', 'stores', 'http', 'core'],
};
/** Each may import the ground, and none another. */
const features = [
  'login',
  'call',
  'bridge',
  'proxy',
  'credential',
  'setup',
  'client-metadata',
  'config',
  'doctor',
  'fleet',
];
/** What joins the rooms: it may import all of them, and none of them imports it. */
const joints = ['app', 'main', 'hot-path', 'demo'];

/** Which rooms each room may import. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  ...ground,
  ...Object.fromEntries(features.map((name) => [name, Object.keys(ground)])),
  sandbox: ['http', 'core'],
  ...Object.fromEntries(joints.map((name) => [name, [...Object.keys(ground), ...features, 'sandbox', ...joints]])),
};

/** Where the real world is touched: files, sockets, processes. All else decides, and is given what it needs. */
const nodeHomes =
  /^src\/(?:http|relay|stores|app|sandbox|proxy|login\/browser|setup\/machine)\/|^src\/(?:main|hot-path|demo|bridge\/host-pipe|setup\/formats\/git-config|core\/text\/(?:system|layout)|core\/ip-address|credential\/exec-program|oauth\/dpop\/proofs|fleet\/(?:status-page|(?:engine|shared)\/.*)|client-metadata\/(?:document-server|self-signed))\.ts$/;
const packageHomes: readonly (readonly [name: RegExp, home: string])[] = [
  // The one socket beside the HTTP client's and the relay's: Redis speaks no HTTP. A person alone names its address.
  [/^@redis\/client$/, 'src/fleet/engine/redis-connection.ts'],
  [/^(?:oauth4webapi|jose)$/, 'src/oauth/'],
  // `undici/lib/dispatcher/client.js` in client.ts is the one file of a package that is imported by its path.
  [/^undici$/, 'src/http/'],
  [/^open$/, 'src/login/browser/'],
  [/^(?:keytar|@napi-rs\/keyring(?:-[a-z0-9-]+)?)$/, 'src/stores/keychain/'],
  [/^(?:yargs|ora)$/, 'src/app/'],
  [/^get-east-asian-width$/, 'src/core/text/'],
  [/^tldts$/, 'src/login/'],
  [/^uqr$/, 'src/login/device/'],
  [/^(?:jsonc-parser|toml-eslint-parser|yaml)$/, 'src/setup/formats/'],
  [/^(?:oidc-provider|jose|zod|@modelcontextprotocol\/.+)$/, 'src/sandbox/'],
];
const slowToLoad = /^(?:@redis\/client|undici|yargs|ora|open|keytar|oauth4webapi|tldts|uqr)$/;

export const limits = { linesOfFile: 300, filesOfFolder: 20 } as const;

/** What each room has: files, lines, kilobytes. The numbers fall with each change that takes something away, and never rise. */
export const budgets: Readonly<Record<string, readonly [files: number, lines: number, kilobytes: number]>> = {
  app: [38, 4197, 190],
  bridge: [13, 1921, 79],
  call: [28, 4698, 209],
  'client-metadata': [10, 1109, 54],
  config: [3, 289, 14],
  core: [37, 4162, 171],
  credential: [15, 1597, 75],
  doctor: [22, 3082, 149],
  fleet: [16, 2720, 119],
  http: [15, 2043, 89],
  login: [58, 8384, 398],
  mcp: [23, 2915, 123],
  oauth: [31, 4353, 219],
  proxy: [18, 2435, 101],
  relay: [11, 1848, 67],
  sandbox: [73, 7261, 316],
  setup: [35, 4241, 193],
  stores: [38, 5396, 226],
  tokens: [20, 3766, 178],
};

/**
 * Every breach of the architecture in a tree of sources.
 * @param files Path from the repository's root (`src/…`) to text.
 */
export function breachesOf(files: ReadonlyMap<string, string>): readonly Breach[] {
  const breaches: Breach[] = [];
  const ofFiles = new Map<string, readonly string[]>();
  const promises = promiseNames(files.values());
  for (const [file, text] of files) {
    const early = earlyReturnsIn(text, promises);
    breaches.push(...early.map(({ returned }) => ({ file, kind: 'returned unawaited' as const, detail: returned })));
    const imports = importsOf(text);
    ofFiles.set(
      file,
      imports.flatMap(({ target }) => resolve(file, target ?? '') ?? []),
    );
    breaches.push(...imports.flatMap((entry) => importBreaches(file, entry)), ...textBreaches(file, text));
  }
  return [...breaches, ...circleBreaches(ofFiles), ...sizeBreaches(files)];
}

/** Types count, too: who reads a file has to read what it names. */
function circleBreaches(ofFiles: ReadonlyMap<string, readonly string[]>): readonly Breach[] {
  const ofRooms = new Map<string, Set<string>>();
  const ofFolders = new Map<string, Set<string>>();
  for (const [file, targets] of ofFiles) {
    for (const target of targets) {
      note(ofRooms, `src/${roomOf(file)}`, `src/${roomOf(target)}`);
      if (roomOf(file) === roomOf(target)) note(ofFolders, folderInRoom(file), folderInRoom(target));
    }
  }
  const breach = (kind: BreachKind) => (circle: readonly string[]) => ({
    file: circle[0] ?? '',
    kind,
    detail: circle.join(' '),
  });
  return [
    ...circlesIn(ofFiles).map(breach('circle of files')),
    ...[...circlesIn(ofRooms), ...circlesIn(ofFolders)]
      .filter((circle) => circle.some((node) => !node.endsWith('.ts')))
      .map(breach('circle of folders')),
  ];
}

function note(edges: Map<string, Set<string>>, from: string, to: string): void {
  if (from === to) return;
  const known = edges.get(from) ?? new Set();
  edges.set(from, known.add(to));
}

/** A room and the folders in it are one for whoever looks from outside; the folders of one room may not go in circles. */
function folderInRoom(file: string): string {
  const inside = file.split('/').slice(2, -1);
  return inside.length === 0 ? file : `src/${roomOf(file)}/${inside[0]}`;
}

function sizeBreaches(files: ReadonlyMap<string, string>): readonly Breach[] {
  const counted = [...files].filter(([file]) => roomOf(file) !== 'sandbox');
  const folders = new Map<string, number>();
  for (const [file] of counted) {
    const folder = file.split('/').slice(0, -1).join('/');
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  const found: Breach[] = [...folders]
    .filter(([, count]) => count > limits.filesOfFolder)
    .map(([file, count]) => ({ file, kind: 'folder too full', detail: `${count} files` }));
  for (const [room, budget] of Object.entries(budgets)) {
    const own = [...files].filter(([file]) => budgetOf(file) === room).map(([, text]) => text);
    const lines = own.reduce((sum, text) => sum + linesOf(text), 0);
    const bytes = own.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const size = [own.length, lines, Math.ceil(bytes / 1000)] as const;
    if (size.some((one, at) => one > (budget[at] ?? 0))) {
      found.push({ file: `src/${room}`, kind: 'over its budget', detail: `[${size.join(', ')}]` });
    }
  }
  return found;
}

function importBreaches(file: string, entry: Import): readonly Breach[] {
  const { target, when } = entry;
  const breach = (kind: BreachKind) => [{ file, kind, detail: target ?? '(computed)' }];
  if (target === undefined) return nodeHomes.test(file) ? [] : breach('computed import');
  if (!target.startsWith('.')) return packageBreaches(file, target, when).flatMap(breach);
  const path = resolve(file, target);
  if (path === undefined) return breach('leaves src');
  const [room, other] = [roomOf(file), roomOf(path)];
  return room === other || (mayImport[room] ?? []).includes(other) ? [] : breach('outside its room');
}

function packageBreaches(file: string, target: string, when: Import['when']): readonly BreachKind[] {
  if (target === 'node:url') return []; // it computes, and touches nothing
  if (target.startsWith('node:')) return nodeHomes.test(file) || when === 'type' ? [] : ['package outside its home'];
  const name = target.split('/', target.startsWith('@') ? 2 : 1).join('/');
  const isHome = packageHomes.some(([pattern, home]) => file.startsWith(home) && pattern.test(name));
  const isEager = when === 'static' && slowToLoad.test(name);
  return [
    ...(isHome ? [] : ['package outside its home' as const]),
    ...(isEager ? ['package loaded at import' as const] : []),
  ];
}

function textBreaches(file: string, text: string): readonly Breach[] {
  const { code } = lexSource(text);
  const room = roomOf(file);
  const lines = linesOf(text);
  const found: readonly (readonly [boolean, BreachKind, string])[] = [
    [!(room in mayImport), 'unknown room', room],
    [
      // What a declaration of another package says is that package's.
      !file.endsWith('.d.ts') &&
        /\bexport\s+default\b|\bas\s+default\b(?=[^;]*\})/.test(code.replace(/\bimport\s[^;]*;/g, '')),
      'default export',
      '',
    ],
    [
      /^(?:export\s+)?(?:let|var)\s/m.test(code),
      'module state',
      code.match(/^(?:export\s+)?(?:let|var)\s.*/m)?.[0] ?? '',
    ],
    [!nodeHomes.test(file) && /(?<![.\w$])(?:process|console)\s*[.[]/.test(code), 'touches the process', ''],
    [lines > limits.linesOfFile, 'file too long', `${lines} lines`],
    [/\bAbortSignal\s*\.\s*timeout\b/.test(code), 'limit that is collected', 'timeLimit of core/time.ts is none'],
  ];
  return found.filter(([is]) => is).map(([, kind, detail]) => ({ file, kind, detail }));
}

function linesOf(text: string): number {
  return text.trimEnd().split('\n').length;
}

/** `src/login/x.ts` is of `login`, `src/main.ts` of `main`. */
/** The files beside the rooms count for `app`. */
function budgetOf(file: string): string {
  return file.split('/').length === 2 ? 'app' : roomOf(file);
}

function roomOf(file: string): string {
  return file.split('/')[1]?.replace(/\.ts$/, '') ?? '';
}

/** The source file that a relative import leads to; undefined outside of `src`, and for a package. */
function resolve(file: string, target: string): string | undefined {
  if (!target.startsWith('.')) return undefined;
  const path = new URL(target, `file:///root/${file}`).pathname.replace(/\.js$/, '.ts');
  return path.startsWith('/root/src/') ? path.slice('/root/'.length) : undefined;
}
