import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { cheaperExports } from './cheaper.mjs';

/**
 * The bundles beside `main`: which modules lie there, of those that are imported when they are used first. What these import
 * lies in the first bundle that needs it. A request and a refresh make do with `main`. What says why
 * something failed is most of what they import and do not need: it is loaded when one of its functions is called first.
 */
const divisions = [
  { name: 'failures', modules: /^(?!core\/).*failures\.js$/ },
  {
    name: 'usual',
    modules:
      /^(?:app\/(?:completion|field|help|print-failure|terminal\/line|wrong-command-line)|call\/(?!request\.command)|credential\/(?!token)|login\/status|mcp\/|oauth\/(?:company|dpop\/token-proofs)|stores\/(?:engines|shared|state\/(?:failure-log|handed-out|shell-history|tool-lists))|tokens\/(?:company|detached-refresh|dpop\/login-proofs))/,
  },
  {
    name: 'rare',
    modules: /^(?:app\/(?:relay-origins|server-program|uninstall)|bridge|client-metadata|config|doctor|fleet|login(?!\/logins)|proxy|relay|sandbox|setup)\b/,
  },
];
const names = ['main', ...divisions.map(({ name }) => name)];

/**
 * Builds the program as several bundles, since V8 reads all that is compiled of one when it is loaded. No module is in two:
 * a class that exists twice is not the same class. `main` loads the others, and each asks it for modules that lie elsewhere.
 * Whoever has loaded the last has all: an upgrade of the files is no matter then to a bridge that goes on running.
 * @param compiled The folder of the compiled sources.
 * @param options For esbuild, with the plugins that all need.
 * @returns The names of the bundles, and what esbuild says of each.
 */
export async function buildDivided(compiled, options) {
  const bundle = (entryPoints, setup, more) =>
    build({ ...options, entryPoints, plugins: [{ name: 'divided', setup }, ...options.plugins], ...more });
  const main = { main: join(compiled, 'main.js') };
  const whole = await bundle(main, (bundler) => tablesAsData(bundler, compiled), { write: false, metafile: true });
  const id = createHash('sha256').update(whole.outputFiles.find(({ path }) => path.endsWith('.cjs')).contents).digest('hex');
  const imports = importsOf(whole.metafile, compiled);
  const atFirstCall = await functionsAlone([...imports.keys()].filter((module) => divisions[0].modules.test(module)), compiled);
  const plan = { compiled, id: id.slice(0, 12), atFirstCall, ...divide(imports, atFirstCall) };
  const metafiles = [];
  for (const name of names) {
    const made = await bundle(name === 'main' ? main : { [name]: 'entry-of-bundle' }, divided(name, plan), { write: false, metafile: true });
    for (const { path, text } of made.outputFiles) writeFileSync(path, path.endsWith('.cjs') ? cheaperExports(text) : text);
    metafiles.push(made.metafile);
  }
  return { names, metafiles };
}

/** Which of our modules imports which, as paths within the compiled sources. */
function importsOf({ inputs }, compiled) {
  const own = (file) => relative(compiled, join(process.cwd(), file));
  const isOurs = (file) => !/^[\w-]+:|^node_modules\//.test(file);
  const oursOf = (imports) => imports.filter(({ external, path }) => !external && isOurs(path));
  const edge = ({ path, kind }) => ({ module: own(path), isLate: kind !== 'import-statement' });
  const ours = Object.entries(inputs).filter(([file]) => isOurs(file));
  return new Map(ours.map(([file, { imports }]) => [own(file), oursOf(imports).map(edge)]));
}

/** Of these modules, those that export functions and nothing else, each with their names. */
async function functionsAlone(modules, compiled) {
  const isFunction = (value) => typeof value === 'function' && !/^class\b/.test(String(value));
  const found = new Map();
  for (const module of modules) {
    const exported = Object.entries(await import(pathToFileURL(join(compiled, module)).href));
    if (exported.every(([, value]) => isFunction(value))) found.set(module, exported.map(([name]) => name));
  }
  return found;
}

/** Gives each module to a bundle; `foreign` are those that another bundle than their own asks for. */
function divide(imports, atFirstCall) {
  const isLate = (edge) => edge.isLate || atFirstCall.has(edge.module);
  const bundleOf = new Map();
  const take = (module, name) => {
    if (bundleOf.has(module)) return;
    bundleOf.set(module, name);
    for (const one of imports.get(module) ?? []) if (!isLate(one)) take(one.module, name);
  };
  const late = [...imports.values()].flat().filter(isLate);
  const wanted = (module) => divisions.find(({ modules }) => modules.test(module))?.name ?? 'main';
  take('main.js', 'main');
  for (const name of names) for (const { module } of late) if (wanted(module) === name) take(module, name);
  const edges = [...imports].flatMap(([from, all]) => all.map(({ module }) => [from, module]));
  const foreign = edges.filter(([from, to]) => bundleOf.get(from) !== bundleOf.get(to)).map(([, to]) => to);
  return { bundleOf, foreign: [...new Set(foreign)] };
}

/** One bundle: what lies in another is asked of the directory, which `main` makes and hands on. */
function divided(name, { compiled, id, atFirstCall, bundleOf, foreign }) {
  const quoted = JSON.stringify;
  const own = foreign.filter((module) => bundleOf.get(module) === name);
  const others = foreign.filter((module) => bundleOf.get(module) !== name);
  const functions = own.map((module) => `${quoted(module)}: () => require(${quoted(join(compiled, module))}),`).join('\n');
  const loading = others.map((module) => `${quoted(module)}: () => require('bundle:${bundleOf.get(module)}')[${quoted(module)}](),`);
  const before = name === 'main' ? names.slice(1, -1).map((other) => `require('bundle:${other}');`).join(' ') : '';
  const texts = {
    'entry-of-bundle': () => `export const id = '${id}';
      export const join = (modules) => {
        require('directory').modules = modules;
        return { ${functions} };
      };`,
    directory: () => `module.exports = { modules: ${name === 'main' ? `{ ${functions}\n${loading.join('\n')} }` : 'undefined'} };`,
    bundle: (asked) => `const { id, join } = require('../bin/load.js').load('${asked}');
      if (id !== '${id}') throw new Error('postern was replaced by another version while it ran');
      module.exports = join(require('directory').modules);
      ${asked === names.at(-1) ? before : ''}`,
    // One function for all of them: V8 keeps something of each that stands in a bundle, called or not.
    'at-first-call': (module) => `let made;
      const late = (name) => (...given) => (made ??= require('directory').modules[${quoted(module)}]())[name](...given);
      ${atFirstCall.get(module)?.map((one) => `export const ${one} = late('${one}');`).join('\n')}`,
    elsewhere: (module) => `module.exports = require('directory').modules[${quoted(module)}]();`,
  };
  return (bundler) => {
    tablesAsData(bundler, compiled);
    bundler.onResolve({ filter: /^(?:entry-of-bundle|directory|bundle:\w+)$/ }, ({ path }) => {
      const [namespace, asked = 'all'] = path.split(':');
      return { path: asked, namespace };
    });
    bundler.onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir, namespace, kind }) => {
      if (namespace === 'bundle') return { path, external: true };
      const module = relative(compiled, join(resolveDir, path));
      const isElsewhere = ![name, undefined].includes(bundleOf.get(module));
      if (isElsewhere && atFirstCall.has(module) && kind === 'import-statement') return { path: module, namespace: 'at-first-call' };
      return [name, undefined].includes(bundleOf.get(module)) ? undefined : { path: module, namespace: 'elsewhere' };
    });
    for (const [namespace, text] of Object.entries(texts)) {
      bundler.onLoad({ filter: /.*/, namespace }, ({ path }) => ({ contents: text(path), resolveDir: compiled }));
    }
  };
}

/** A table whose members are made when one of them is asked for, but for those that find it among the others. */
function asLateTable([exported, table]) {
  const { name, aliases, unattended, ...others } = table;
  return `export const ${exported} = lateTable(${JSON.stringify({ name, aliases, unattended })}, () => (${JSON.stringify(others, null, 1)}));`;
}

/** One Proxy for a table: a getter for each of its members would cost a hundredth of a refresh. */
const lateTable = `
  const early = ['name', 'aliases', 'unattended'];
  export const lateTable = (found, make) => {
    let all;
    const whole = () => (all ??= { ...found, ...make() });
    return new Proxy(found, {
      get: (_, key) => (early.includes(key) ? found[key] : whole()[key]),
      has: (_, key) => key in whole(),
      ownKeys: () => Reflect.ownKeys(whole()),
      getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(whole(), key),
    });
  };`;

/** The registry's tables of commands, without the code that stands in the same files. */
function tablesAsData(bundler, compiled) {
  const registry = join(compiled, 'app', 'registry.js');
  bundler.onResolve({ filter: /\.(?:command|options)\.js$/ }, ({ path, importer, kind, resolveDir }) =>
    importer === registry && kind === 'import-statement' ? { path: relative(compiled, join(resolveDir, path)), namespace: 'table' } : undefined,
  );
  bundler.onLoad({ filter: /.*/, namespace: 'table' }, async ({ path }) => {
    const exported = Object.entries(await import(pathToFileURL(join(compiled, path)).href));
    const tables = exported.filter(([name]) => name.endsWith('Table')).map(asLateTable);
    return { contents: ["import { lateTable } from 'late-table';", ...tables].join('\n') };
  });
  bundler.onResolve({ filter: /^late-table$/ }, ({ path }) => ({ path, namespace: 'late-table' }));
  bundler.onLoad({ filter: /.*/, namespace: 'late-table' }, () => ({ contents: lateTable }));
}
