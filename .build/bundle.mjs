// The last step of `npm run build`: bundles the compiled sources in build/ to dist/, which is what bin/ starts. What is
// shipped can be read: nothing is minified, and source maps lead to our TypeScript.
//
//   hot-path.cjs        `postern token` and `credential` with a valid token
//   main.cjs            what every other command needs, `request` and a refresh
//   usual.cjs rare.cjs  the other commands, loaded by main.cjs (divide.mjs)
//   failures.cjs        what says why something failed, and what to type next
//   completion.cjs      what stands behind the Tab key of a shell, by completion.json, the tables of all commands
//   package-*.cjs       one of the other packages that the program is made of, loaded when it is used; the keychain's
//                       alone is installed beside it, since it is compiled for each system
//   http-client.cjs     undici's connection class; http-parser.cjs: what it needs where a processor has no SIMD
//   *.cache             what V8 made of these, so that less is compiled at the start; they work without, too
//   man/                the pages of the manual, made of the tables of the commands and the topics of help
//   keychain-child.js   the process that is started, and can be killed, where a keychain may hang
//   sandbox-*.js        the sandbox with all of its packages inside: users of `login` need not install, nor trust, them
//
// CommonJS where start-up counts, because Node.js loads it faster. The numbers behind this stand in src/README.md.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { cheaperWrappers } from './cheaper.mjs';
import { buildDivided } from './divide.mjs';
import { bundledPackages, licensesOf } from './bundled-packages.mjs';
import { writeRunCaches, writeWholeCache } from './write-cache.mjs';
import { usualRuns } from './usual-runs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiled = join(root, process.argv[2] ?? 'build', 'src');
const dist = join(root, process.argv[3] ?? 'dist');

mkdirSync(dist, { recursive: true });
const fresh = mkdtempSync(join(dist, '.new-'));
const common = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  supported: { 'regexp-unicode-property-escapes': true },
  sourcemap: 'linked',
  sourcesContent: false,
  outdir: fresh,
  legalComments: 'linked',
  logLevel: 'warning',
  metafile: true,
};
/** Packages that our bundles ask for, by the names of their own bundles. */
const packages = new Map();
/** What esbuild says of each bundle: which files are in it. */
const made = [];
const bundle = async (options) => made.push((await build(options)).metafile);

/** What bin/load.js takes: the function that Node.js makes of a CommonJS module. */
const commonJs = {
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  banner: { js: '(function (exports, require, module, __filename, __dirname) { const __monotonic = () => process.uptime() * 1000;' },
  footer: { js: '})' },
};

const ours = {
  ...common,
  ...commonJs,
  plugins: [{ name: 'others', setup: nameOthers }],
  // The first use of `performance` loads nine modules of Node's. The uptime counts from the same moment.
  define: { 'import.meta.filename': '__filename', 'import.meta.dirname': '__dirname', 'performance.now': '__monotonic' },
  // `require` instead: the first `import` of a process costs 4 ms, and one that comes out of a cache leads nowhere.
  supported: { ...common.supported, 'dynamic-import': false },
};
await bundle({
  ...ours,
  entryPoints: {
    'hot-path': join(compiled, 'hot-path.js'),
    completion: join(compiled, 'app', 'completion', 'start.js'),
  },
});
const { names: divided, metafiles } = await buildDivided(compiled, ours);
made.push(...metafiles);

await bundle({
  ...common,
  sourcemap: false,
  ...commonJs,
  entryPoints: { 'http-client': join(root, 'node_modules', 'undici', 'lib', 'dispatcher', 'client.js') },
  plugins: [{ name: 'without what is not used', setup: leaveOutUnused }],
});

await bundle({
  ...common,
  sourcemap: false,
  ...commonJs,
  entryPoints: { 'http-parser': join(root, 'node_modules', 'undici', 'lib', 'llhttp', 'llhttp-wasm.js') },
});

for (const [name, path] of packages) {
  await bundle({
    ...common,
    ...commonJs,
    sourcemap: false,
    mainFields: ['module', 'main'],
    entryPoints: { [name]: 'package' },
    plugins: [
      { name: 'package', setup: (bundler) => takePackage(bundler, path) },
      ...(path === 'yargs' ? [{ name: 'yargs', setup: takeYargs }] : []),
    ],
    define: { 'import.meta.url': '__address' },
    banner: { js: `${commonJs.banner.js} const __address = require('node:url').pathToFileURL(__filename).href;` },
    supported: ours.supported,
    ...(path === 'oauth4webapi' ? lightFetch() : {}),
  });
}

await bundle({
  ...common,
  sourcemap: false,
  format: 'esm',
  splitting: true,
  chunkNames: 'sandbox-[name]-[hash]',
  entryPoints: {
    'sandbox-start': join(compiled, 'sandbox', 'start.js'),
    'sandbox-faults': join(compiled, 'sandbox', 'faults', 'table.js'),
    'sandbox-state-schema': join(compiled, 'sandbox', 'state-schema.js'),
    'keychain-child': join(compiled, 'stores', 'keychain', 'keychain-child.js'),
  },
  // Its CommonJS packages ask for Node's own modules by `require`.
  banner: { js: "import { createRequire as __from } from 'node:module'; const require = __from(import.meta.url);" },
  keepNames: true, // oidc-provider finds its parts by the names of classes and functions
});

for (const name of readdirSync(fresh).filter((name) => name.endsWith('.cjs'))) {
  const file = join(fresh, name);
  writeFileSync(file, cheaperWrappers(readFileSync(file, 'utf8')));
}
for (const name of ['hot-path', 'completion']) writeWholeCache(join(fresh, `${name}.cjs`));
const { startSandbox } = await import(pathToFileURL(join(compiled, 'sandbox', 'start.js')).href);
// Of the packages a refresh alone would wait for one to be compiled.
const ran = [...divided, 'package-oauth4webapi', 'package-yargs', 'http-client'].map((name) => join(fresh, `${name}.cjs`));
await writeRunCaches(ran, ({ run }, other, writeSoFar) => usualRuns(run, other().run, startSandbox, writeSoFar));
for (const name of ['hot-path', 'completion', ...divided]) leadHome(join(fresh, `${name}.cjs.map`));
const bundled = bundledPackages(root, made);
writeFileSync(join(fresh, 'THIRD-PARTY-LICENSES.txt'), licensesOf(bundled));
writeFileSync(join(compiled, '..', 'bundled.json'), JSON.stringify(bundled));
cpSync(join(root, 'src', 'app', 'schemas'), join(fresh, 'schemas'), { recursive: true });
cpSync(join(root, 'src', 'app', 'help', 'topics'), join(fresh, 'topics'), { recursive: true });

const { builtTables } = await import(pathToFileURL(join(compiled, 'app', 'built', 'completion-file.js')).href);
writeFileSync(join(fresh, 'completion.json'), JSON.stringify(builtTables()));
const { manPages } = await import(pathToFileURL(join(compiled, 'app', 'built', 'man-pages.js')).href);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
mkdirSync(join(fresh, 'man'));
for (const { file, text } of manPages(version)) writeFileSync(join(fresh, 'man', file), text);

// A program that starts meanwhile finds the old files or the new ones, whole: what names others comes last.
const named = [...[...packages.keys()].map((name) => `${name}.cjs`), 'sandbox-state-schema.js', 'sandbox-faults.js', 'sandbox-start.js', 'keychain-child.js', 'http-parser.cjs', 'http-client.cjs', 'completion.json', 'completion.cjs', 'rare.cjs', 'usual.cjs', 'failures.cjs', 'main.cjs', 'hot-path.cjs'];
const files = readdirSync(fresh);
for (const file of [...files.filter((name) => !named.includes(name)), ...named]) {
  if (['man', 'schemas', 'topics'].includes(file)) rmSync(join(dist, file), { recursive: true, force: true }); // a folder replaces none that is full
  renameSync(join(fresh, file), join(dist, file));
}
for (const file of readdirSync(dist)) {
  if (!files.includes(file)) rmSync(join(dist, file), { recursive: true, force: true });
}

/** A source map names its sources as seen from where it was made, which is one folder further down. */
function leadHome(file) {
  const map = JSON.parse(readFileSync(file, 'utf8'));
  const sources = map.sources.map((source) => source.replace('../../', '../'));
  writeFileSync(file, JSON.stringify({ ...map, sources }));
}

/**
 * What is a bundle of its own is asked for there. What knows how wide every character is, and is a function, is loaded when
 * it is called first. What is loaded late is required; of what is an ES module, what it
 * exports by default, where that is what we use of it.
 */
function nameOthers(bundler) {
  const own = [
    [/\/sandbox\/start\.js$/, './sandbox-start.js'],
    [/\/sandbox\/faults\/table\.js$/, './sandbox-faults.js'],
    [/\/sandbox\/state-schema\.js$/, './sandbox-state-schema.js'],
    [/^undici\/lib\/dispatcher\/client\.js$/, './http-client.cjs'],
  ];
  const late = (path) => ({ path, namespace: 'required' });
  bundler.onResolve({ filter: /.*/, namespace: 'required' }, ({ path }) => ({ path, external: true }));
  bundler.onResolve({ filter: /^\.\.\/bin\/load\.js$/ }, ({ path }) => ({ path, external: true }));
  bundler.onResolve({ filter: /.*/ }, ({ path, resolveDir, kind }) => {
    if (kind === 'entry-point') return undefined;
    const asked = path.startsWith('.') ? join(resolveDir, path) : path; // by a neighbour as './start.js'
    const [, file] = own.find(([ending]) => ending.test(asked)) ?? [];
    return file === undefined ? undefined : late(file);
  });
  bundler.onResolve({ filter: /^[^./]/ }, ({ path, kind, importer, namespace }) => {
    if (namespace === 'at-first-use') return { path, external: true };
    if (importer.includes('node_modules') && !path.startsWith('node:')) return undefined;
    // What TypeScript makes of `using`: once in a bundle, and not in each module.
    if (path === 'tslib') return { path: join(root, 'node_modules', 'tslib', 'tslib.es6.mjs'), sideEffects: false };
    if (/^(?:string-width|wrap-ansi)$/.test(path)) return { path, namespace: 'at-first-use' };
    if (/^node:(?:crypto|child_process|(?:dns|fs)\/promises)$/.test(path) && kind === 'import-statement') {
      return { path, namespace: 'at-first-use', sideEffects: false };
    }
    if (kind === 'entry-point') return undefined;
    if (!isBuiltin(path) && !isNative(path)) return late(path);
    if (kind === 'dynamic-import') return late(path);
    return { path, external: true, sideEffects: !path.startsWith('node:') };
  });
  /** How a bundle asks for a package, or for another bundle. */
  const asked = (path) => {
    if (isBuiltin(path) || path.startsWith('./sandbox-')) return `require(${JSON.stringify(path)})`;
    const name = path === './http-client.cjs' ? 'http-client' : `package-${path.replace(/^@/, '').replaceAll(/[^a-z0-9]+/g, '-')}`;
    if (name !== 'http-client') packages.set(name, path);
    return `require('../bin/load.js').load('${name}')`;
  };
  const atFirstUse = (path) => `module.exports = (...given) => ${asked(path)}.default(...given)`;
  bundler.onLoad({ filter: /.*/, namespace: 'at-first-use' }, ({ path }) => ({
    contents: path.startsWith('node:') ? lateFunctions(path) : atFirstUse(path),
  }));
  bundler.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
    contents: `module.exports = ${asked(path)}${/^(?:open|ora|yargs)$/.test(path) ? '.default' : ''}`,
  }));
}

/** Of Node's own `Headers` and `Response` the first use takes 20 ms: classes of ours in their place. */
function lightFetch() {
  const file = join(compiled, 'oauth', 'library', 'light-fetch.js');
  const define = { Headers: 'LightHeaders', Response: 'LightResponse' };
  return { inject: [file], define: { 'import.meta.url': '__address', ...define } };
}

/** Is it the package that is compiled for each system? */
function isNative(path) {
  return /^(?:keytar|@napi-rs\/keyring)/.test(path);
}

/** A package as a bundle of its own, with all that it needs. */
function takePackage(bundler, path) {
  bundler.onResolve({ filter: /^package$/ }, ({ kind }) => (kind === 'entry-point' ? { path, namespace: 'package' } : undefined));
  bundler.onLoad({ filter: /.*/, namespace: 'package' }, () => ({
    contents: `module.exports = require(${JSON.stringify(path)});`,
    resolveDir: root,
  }));
  if (path === '@redis/client') takeRedis(bundler);
}

/**
 * The client of Redis without its methods for 400 commands (900 of 1,250 KB, and 25 of 37 ms to load), without clusters and
 * sentinels: commands are sent as they are written. What its start needs stays.
 */
function takeRedis(bundler) {
  const inPackage = (importer) => /node_modules\/@redis\/client\//.test(importer);
  bundler.onResolve({ filter: /(?:^|\/)(?:commands|command-metadata|cluster|sentinel)(?:\/index)?$/ }, ({ path, importer }) =>
    inPackage(importer) ? { path: /commands/.test(path) ? 'commands' : 'nothing', namespace: 'redis' } : undefined,
  );
  // It asks for these where somebody wants them, and does without.
  bundler.onResolve({ filter: /^@(?:node-rs\/xxhash|opentelemetry\/api)$/ }, ({ path }) => ({ path, namespace: 'absent' }));
  bundler.onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: "throw Object.assign(new Error('left out'), { code: 'MODULE_NOT_FOUND' })" }));
  const commands = ['AUTH', 'CLIENT_SETNAME', 'READONLY'];
  const members = commands.map((name) => `${name}: require('@redis/client/dist/lib/commands/${name}').default`);
  bundler.onLoad({ filter: /.*/, namespace: 'redis' }, ({ path }) => ({
    contents: `module.exports = { __esModule: true, default: { ${path === 'commands' ? members.join(', ') : ''} } }`,
    resolveDir: root,
  }));
}

/** A module of Node's that takes milliseconds to load, loaded when one of its functions is called first. Classes and values are taken at once. */
function lateFunctions(path) {
  const own = process.getBuiltinModule(path);
  const module = `require(${JSON.stringify(path)})`;
  const isFunction = (name) => typeof own[name] === 'function' && /^[a-z]/.test(name);
  const late = (name) => isFunction(name) ? `(...given) => ${module}.${name}(...given)` : `/* @__PURE__ */ (() => ${module}.${name})()`;
  return Object.keys(own).map((name) => `export const ${name} = ${late(name)};`).join('\n');
}

/**
 * yargs without what costs: what knows how wide every character is takes 40 ms to load, and our help is of such as are one
 * column wide. It looks for its translations three folders above itself: in none
 * that anybody makes; and it needs no `require`, which is for files of options.
 */
function takeYargs(bundler) {
  // Of Node's module, which takes a millisecond, only this is used.
  const sameOrNot = `const [strictEqual, notStrictEqual] = [true, false].map((same) => (one, other, message) => {
    if (Object.is(one, other) !== same) throw new Error(message);
  })`;
  bundler.onResolve({ filter: /^string-width$/ }, ({ path, importer }) =>
    importer.includes('node_modules') ? { path, namespace: 'plain' } : undefined,
  );
  bundler.onLoad({ filter: /.*/, namespace: 'plain' }, () => ({ contents: 'export default (text) => text.length' }));
  // Its translations are read from files; everything is said in English here.
  bundler.onResolve({ filter: /^y18n$/ }, ({ path }) => ({ path, namespace: 'english' }));
  bundler.onLoad({ filter: /.*/, namespace: 'english' }, () => ({ contents: `
    import { format } from 'node:util';
    const many = (one, other, count, ...more) => {
      const text = count === 1 ? one : other;
      return format(text, ...(text.includes('%d') ? [count] : []), ...more);
    };
    export default () => ({ __: format, __n: many, getLocale: () => 'en', setLocale() {}, updateLocale() {} });
  ` }));
  // It would look for a package.json with settings of its own, from the current folder upwards.
  bundler.onResolve({ filter: /^escalade\/sync$/ }, ({ path }) => ({ path, namespace: 'nothing' }));
  bundler.onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({ contents: 'export default () => undefined' }));
  bundler.onLoad({ filter: /node_modules\/yargs(?:-parser)?\/.*\.m?js$/ }, ({ path }) => ({
    contents: readFileSync(path, 'utf8').replaceAll('createRequire(import.meta.url)', 'undefined').replace(/^import \{ notStrictEqual, strictEqual \} from 'assert'/m, sameOrNot).replaceAll(
      'import.meta.url',
      "process.getBuiltinModule('node:url').pathToFileURL(`${__dirname}/yargs/build/lib/none.js`).href",
    ),
  }));
}

/**
 * Modules of Node's that undici loads and that are not used here: 9 ms of them. HTTP/2 is never offered, and left out as
 * undici does where there is none. Of `http` it wants a limit that src/http always gives, and asks whether a body is a
 * message of it, which nobody gives. `assert` is loaded once something is wrong.
 */
function leaveOutUnused(bundler) {
  const instead = {
    'node:http2': '{ constants: {} }',
    'node:http': '{ IncomingMessage: class {}, maxHeaderSize: 16_384 }',
    'node:perf_hooks': '{ performance: { now: () => performance.now() } }',
    'node:assert': `(value, message) => { if (!value) require('node:assert')(value, message); }`,
  };
  bundler.onResolve({ filter: /^node:(?:http2?|perf_hooks|assert)$/ }, ({ path, namespace }) =>
    namespace === 'left-out' ? { path, external: true } : { path, namespace: 'left-out' },
  );
  bundler.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({ contents: `module.exports = ${instead[path]}` }));
  // We speak HTTP/1.1 over connections that we open.
  bundler.onLoad({ filter: /undici\/lib\/(?:dispatcher\/client-h2|core\/connect)\.js$/ }, () => ({ contents: 'module.exports = undefined' }));
  // Bodies are text, bytes and streams here, and no forms.
  bundler.onLoad({ filter: /undici\/lib\/web\/fetch\/body\.js$/ }, () => ({ contents: 'module.exports = {}' }));
  // For processors without SIMD: a sixth of what would be read each time.
  bundler.onResolve({ filter: /^\.\.\/bin\/load\.js$/ }, ({ path }) => ({ path, external: true }));
  bundler.onLoad({ filter: /undici\/lib\/llhttp\/llhttp-wasm\.js$/ }, () => ({
    contents: "module.exports = require('../bin/load.js').load('http-parser')",
  }));
  // Nobody subscribes to what it tells of each request.
  bundler.onLoad({ filter: /undici\/lib\/core\/diagnostics\.js$/ }, ({ path }) => {
    const names = [...readFileSync(path, 'utf8').matchAll(/^  (\w+): diagnosticsChannel\.channel\(/gm)].map(([, name]) => name);
    if (names.length === 0) throw new Error('undici makes its channels otherwise');
    return { contents: `const none = { hasSubscribers: false }; module.exports = { channels: { ${names.map((name) => `${name}: none`).join(', ')} } }` };
  });
  // It makes 939 nodes of the names of headers, to find one among them. Where it finds none, undici makes the name anew.
  bundler.onLoad({ filter: /undici\/lib\/core\/tree\.js$/ }, () => ({ contents: 'module.exports = { tree: { lookup: () => undefined } }' }));
  // Hundreds of names, of which these are asked for.
  bundler.onLoad({ filter: /undici\/lib\/llhttp\/constants\.js$/ }, async ({ path }) => {
    const asks = readFileSync(join(path, '..', '..', 'dispatcher', 'client-h1.js'), 'utf8').matchAll(/\bconstants\.(\w+)/g);
    const others = [...asks].map(([, name]) => name).filter((name) => !['ERROR', 'TYPE', 'js'].includes(name));
    if (others.length > 0) throw new Error(`undici asks for more of its constants: ${others.join(', ')}`);
    const { ERROR, TYPE } = (await import(pathToFileURL(path).href)).default;
    return { contents: `module.exports = ${JSON.stringify({ ERROR, TYPE })}` };
  });
}
