import { cyclesIn } from './cycles.js';
import { earlyReturnsIn, promiseNames } from './early-returns.js';
import { type Import, importsOf } from './imports.js';
import { lexSource } from './lexed-source.js';

export type BreachKind =
  | 'unknown layer'
  | 'points up'
  | 'leaves src'
  | 'package outside its home'
  | 'package loaded at import'
  | 'computed import'
  | 'ports hold types only'
  | 'cycle'
  | 'default export'
  | 'module state'
  | 'touches the process'
  | 'too long'
  | 'returned unawaited';

export interface Breach {
  readonly file: string;
  readonly kind: BreachKind;
  readonly detail: string;
}

/** What each layer may import beside itself; `flows` of main is for types alone. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  primitives: [],
  ports: ['primitives'],
  errors: ['primitives'],
  protocol: ['errors', 'primitives', 'ports'],
  flows: ['protocol', 'errors', 'primitives', 'ports'],
  cli: ['flows', 'errors', 'primitives', 'ports'],
  system: ['errors', 'primitives', 'ports'],
  sandbox: ['primitives'],
  main: ['cli', 'system', 'errors', 'primitives', 'ports'],
  'fast-path': ['cli', 'flows', 'protocol', 'system', 'errors', 'primitives', 'ports'],
  demo: ['main', 'sandbox', 'system', 'protocol', 'errors', 'primitives', 'ports'],
};

const nodeHomes = ['system', 'sandbox', 'main', 'fast-path', 'demo'];
const packageHomes: readonly (readonly [name: RegExp, layer: string])[] = [
  [/^oauth4webapi$/, 'protocol'],
  [/^(?:undici|open|ora|keytar|@napi-rs\/keyring(?:-[a-z0-9-]+)?)$/, 'system'],
  [/^yargs$/, 'cli'],
  [/^(?:oidc-provider|jose|zod|@modelcontextprotocol\/.+)$/, 'sandbox'],
];
const slowToLoad = /^(?:undici|yargs|ora|open|keytar|oauth4webapi)$/;
const mostLines = 300;

/**
 * Every breach of the architecture in a tree of sources.
 * @param files Path from the repository's root (`src/…`) to text.
 */
export function breachesOf(files: ReadonlyMap<string, string>): readonly Breach[] {
  const edges = new Map<string, readonly string[]>();
  const breaches: Breach[] = [];
  const promises = promiseNames(files.values());
  for (const [file, text] of files) {
    const early = earlyReturnsIn(text, promises);
    breaches.push(
      ...early.map(({ returned }) => ({ file, kind: 'returned unawaited' as const, detail: returned })),
    );
    const imports = importsOf(text);
    const values = imports
      .filter(({ when }) => when !== 'type')
      .map(({ target }) => resolve(file, target ?? ''));
    edges.set(
      file,
      values.filter((target) => target !== undefined),
    );
    breaches.push(...imports.flatMap((entry) => importBreaches(file, entry)), ...textBreaches(file, text));
  }
  return [
    ...breaches,
    ...cyclesIn(edges).map((cycle) => ({
      file: cycle[0] ?? '',
      kind: 'cycle' as const,
      detail: cycle.join(' -> '),
    })),
  ];
}

function importBreaches(file: string, entry: Import): readonly Breach[] {
  const { target, when } = entry;
  const layer = layerOf(file);
  const breach = (kind: BreachKind) => [{ file, kind, detail: target ?? '(computed)' }];
  if (target === undefined) {
    return layer === 'system' ? [] : breach('computed import');
  }
  if (!target.startsWith('.')) {
    return packageBreaches(layer, target, when).flatMap(breach);
  }
  const path = resolve(file, target);
  if (path === undefined) {
    return breach('leaves src');
  }
  const other = layerOf(path);
  if ((layer === 'ports' || other === 'ports') && when !== 'type') {
    return breach('ports hold types only');
  }
  return isAllowed(file, layer, other, when) ? [] : breach('points up');
}

function isAllowed(file: string, layer: string, other: string, when: Import['when']): boolean {
  const ownCommand = file === 'src/cli/commands/sandbox.ts' && other === 'sandbox' && when === 'dynamic';
  const typesOfFlows = layer === 'main' && other === 'flows' && when === 'type';
  return layer === other || ownCommand || typesOfFlows || (mayImport[layer] ?? []).includes(other);
}

function packageBreaches(layer: string, target: string, when: Import['when']): readonly BreachKind[] {
  if (target.startsWith('node:')) {
    return nodeHomes.includes(layer) ? [] : ['package outside its home'];
  }
  const name = target.split('/', target.startsWith('@') ? 2 : 1).join('/');
  const isHome = packageHomes.some(([pattern, home]) => home === layer && pattern.test(name));
  const isEager = when === 'static' && slowToLoad.test(name);
  return [
    ...(isHome ? [] : ['package outside its home' as const]),
    ...(isEager ? ['package loaded at import' as const] : []),
  ];
}

function textBreaches(file: string, text: string): readonly Breach[] {
  const { code } = lexSource(text);
  const layer = layerOf(file);
  const lines = text.trimEnd().split('\n').length;
  const found: readonly (readonly [boolean, BreachKind, string])[] = [
    [!(layer in mayImport), 'unknown layer', layer],
    [
      /\bexport\s+default\b|\bas\s+default\b(?=[^;]*\})/.test(code.replace(/\bimport\s[^;]*;/g, '')),
      'default export',
      '',
    ],
    [
      /^(?:export\s+)?(?:let|var)\s/m.test(code),
      'module state',
      code.match(/^(?:export\s+)?(?:let|var)\s.*/m)?.[0] ?? '',
    ],
    [
      !nodeHomes.includes(layer) && /(?<![.\w$])(?:process|console)\s*[.[]/.test(code),
      'touches the process',
      '',
    ],
    [lines > mostLines, 'too long', `${lines} lines`],
  ];
  return found.filter(([is]) => is).map(([, kind, detail]) => ({ file, kind, detail }));
}

/** `src/flows/x.ts` is of `flows`, `src/main.ts` of `main`. */
function layerOf(file: string): string {
  return file.split('/')[1]?.replace(/\.ts$/, '') ?? '';
}

/** The source file that a relative import leads to; undefined outside of `src`, and for a package. */
function resolve(file: string, target: string): string | undefined {
  if (!target.startsWith('.')) {
    return undefined;
  }
  const path = new URL(target, `file:///root/${file}`).pathname.replace(/\.js$/, '.ts');
  return path.startsWith('/root/src/') ? path.slice('/root/'.length) : undefined;
}
