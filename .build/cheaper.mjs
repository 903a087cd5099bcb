/**
 * Makes the exports of what esbuild writes cheaper. What a module exports is named when it is first asked for by another bundle, or
 * loaded late, and what was required is not copied name by name: it stands behind the object that also has the default. Both
 * together are a twentieth of a refresh. No line moves, so the source maps stay right.
 */
export function cheaperExports(text) {
  if (/__toESM\(require\w*\([^()]*\)\)/.test(text)) throw new Error('a default that is not the whole module');
  const light = text
    .replace(/^var __toESM = [^]*?\n\)\);$/m, (helper) => {
      const others = '\n'.repeat(helper.split('\n').length - 1);
      return `var __toESM = (mod) => __create(mod, { default: { value: mod } });${others}`;
    })
    .replace(/^var __toCommonJS = .*$/m, 'var __toCommonJS = (mod) => mod;')
    .replaceAll(
      /^var (\w+_exports\d*) = \{\};\n__export\(\1, (\{\n[^}]*\n\})\);$/gm,
      'var $1 = {};\nvar $1_named = () => ($1_named = () => $1, __export($1, $2), $1 );',
    );
  const names = [...light.matchAll(/^var (\w+)_named = /gm)].map(([, name]) => name);
  const asked = new RegExp(`(?<=, |\\()(?:${names.join('|')})(?=\\))`, 'g');
  return names.length === 0 ? light : light.replaceAll(asked, '$&_named()');
}

/**
 * Makes what esbuild wraps around a module cheaper. It writes an object of one function for each, named after the module, for
 * profilers: V8 makes a hidden class for every one of these names. A function does. No line moves.
 */
export function cheaperWrappers(text) {
  const lighter = text
    .replaceAll(/^(var \w+ = __(?:esm|commonJS)\()\{\n  "[^"\n]*"(\([^()\n]*\) \{\n[^]*?^  \}\n)\}\);$/gm, '$1\n  function$2);')
    .replace('(0, fn[__getOwnPropNames(fn)[0]])(fn = 0)', 'fn(fn = 0)')
    .replace('(0, cb[__getOwnPropNames(cb)[0]])(', 'cb(');
  if (/__(?:esm|commonJS)\(\{|\[__getOwnPropNames\(/.test(lighter)) throw new Error('esbuild wraps modules otherwise');
  return lighter;
}
